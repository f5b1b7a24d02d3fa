/**
 * Proves callers by API key or JWT (S2). What a token proved is remembered by its digest for a while, so that a producer
 * or a page that sends the same token again does not pay for the signature again.
 */
import { hash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { ApiKeys } from './api-keys.ts';
import type { Authenticator, Principal } from './principal.ts';
import { principalOf } from './principal-of.ts';
import type { Revocations } from './revocations.ts';
import type { TokenIssuer } from './token-issuer.ts';

export interface TokenAuthenticatorOptions {
  readonly keys: ApiKeys;
  readonly issuers: readonly TokenIssuer[];
  readonly revocations: Revocations;
  readonly clock: Clock;
}

interface Proven {
  readonly principal: Principal;
  readonly untilMs: number;
}

export class TokenAuthenticator implements Authenticator {
  readonly #keys: ApiKeys;
  readonly #issuers: readonly TokenIssuer[];
  readonly #revocations: Revocations;
  readonly #clock: Clock;
  /** Digest of the token → what it proved, oldest first. */
  readonly #proven = new Map<string, Proven>();

  constructor(options: TokenAuthenticatorOptions) {
    this.#keys = options.keys;
    this.#issuers = options.issuers;
    this.#revocations = options.revocations;
    this.#clock = options.clock;
  }

  async authenticate(token: string): Promise<Principal> {
    if (token.length > limits.tokenCharsMax) throw invalid();
    if (ApiKeys.looksLike(token)) {
      const owner = this.#keys.find(token, this.#clock.now());
      if (owner === null) throw invalid();
      return owner;
    }
    const digest = hash('sha256', token, 'base64url');
    const principal = this.#remembered(digest) ?? this.#remember(digest, await this.#verify(token));
    if (this.#revocations.isRevoked(principal)) throw invalid();
    return principal;
  }

  #remembered(digest: string): Principal | null {
    const proven = this.#proven.get(digest);
    if (proven === undefined) return null;
    if (proven.untilMs > this.#clock.now()) return proven.principal;
    this.#proven.delete(digest);
    return null;
  }

  /** Not past the token's expiry, and not long: a key that its issuer withdraws must stop working. */
  #remember(digest: string, principal: Principal): Principal {
    if (this.#proven.size >= limits.provenTokensMax) this.#proven.delete(this.#proven.keys().next().value as string);
    const untilMs = Math.min(principal.expiresAtMs, this.#clock.now() + limits.provenTokenMs);
    this.#proven.set(digest, { principal, untilMs });
    return principal;
  }

  async #verify(token: string): Promise<Principal> {
    for (const issuer of this.#candidates(token)) {
      const claims = await issuer.verify(token).catch(() => null);
      const principal = claims && principalOf(claims, issuer);
      if (principal) return principal;
    }
    throw invalid();
  }

  /** What the token says of itself only chooses whom to ask; an issuer then checks all of it. */
  #candidates(token: string): TokenIssuer[] {
    try {
      const { iss } = decodeJwt(token);
      const { alg } = decodeProtectedHeader(token);
      return this.#issuers.filter(({ issuer, algorithm }) => issuer === iss && algorithm === alg);
    } catch {
      return [];
    }
  }
}

/** One answer for everything, so that it helps nobody who guesses. */
function invalid(): CarillonError {
  return new CarillonError('CARILLON_AUTH_INVALID', 'The token or key is not valid.');
}
