/** Names a session across tenants; null where a token names none. */
import type { UserPrincipal } from './principal.ts';

export function sessionKey({ tenant, session }: Pick<UserPrincipal, 'tenant' | 'session'>): string | null {
  return session === null ? null : `${tenant}\u0001${session}`;
}
