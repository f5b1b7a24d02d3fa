/** Who is calling, once proven (S2): a person, a producer, or an operator. Parsed once per request or connection. */
import type { TenantId, UserId } from '../base/ids.ts';

export interface UserPrincipal {
  readonly kind: 'user';
  readonly tenant: TenantId;
  readonly user: UserId;
  /** The session the token belongs to (claim `sid`, else `jti`), for revocation; null if it names none. */
  readonly session: string | null;
  readonly expiresAtMs: number;
}

export interface ProducerPrincipal {
  readonly kind: 'producer';
  readonly tenant: TenantId;
  /** Names the key or token issuer+subject: scope of idempotency keys and rate limits. */
  readonly caller: string;
  /** Sources it may write as; `*` is any. */
  readonly sources: readonly string[];
  readonly expiresAtMs: number;
}

export interface OperatorPrincipal {
  readonly kind: 'operator';
  readonly tenant: TenantId;
  readonly role: 'viewer' | 'support' | 'operator' | 'admin';
  readonly caller: string;
  readonly expiresAtMs: number;
}

export type Principal = UserPrincipal | ProducerPrincipal | OperatorPrincipal;

export interface Authenticator {
  /** Proves a bearer token or key. Throws CARILLON_AUTH_INVALID; never says which part was wrong. */
  authenticate(token: string): Promise<Principal>;
}
