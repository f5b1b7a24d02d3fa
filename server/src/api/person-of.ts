/** Whose inbox a call is about: always the caller's own. No operation takes a person from the request (S3, BC-63). */
import type { UserPrincipal } from '../auth/principal.ts';
import { type PersonKey, personKey } from '../base/ids.ts';

export function personOf(principal: UserPrincipal): PersonKey {
  return personKey(principal.tenant, principal.user);
}
