/** From an Authorization header to a proven caller of the right kind (S2). */
import type { Authenticator, Principal } from '../auth/principal.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { type Caller, mayCall } from './operation.ts';

const bearer = /^Bearer +([\x21-\x7e]+)$/i;

/** Throws CARILLON_AUTH_REQUIRED without a bearer token, CARILLON_AUTH_INVALID for one that proves nothing. */
export async function proveCaller(authenticator: Authenticator, header: string | undefined): Promise<Principal> {
  if (header === undefined) throw new CarillonError('CARILLON_AUTH_REQUIRED', 'There is no Authorization header.');
  const token = bearer.exec(header)?.[1];
  if (token === undefined) {
    throw new CarillonError('CARILLON_AUTH_REQUIRED', 'The Authorization header is not of the form "Bearer <token>".');
  }
  return await authenticator.authenticate(token);
}

export function checkCaller(caller: Caller, principal: Principal): void {
  if (!mayCall(caller, principal)) {
    throw new CarillonError('CARILLON_AUTH_FORBIDDEN', `This is for callers of kind "${caller}" only.`);
  }
}
