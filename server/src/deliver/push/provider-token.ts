/**
 * The token by which Apple knows us (ES256, A3 of PROTOCOLS: RFC 7515 form): the same one for all pushes of a key.
 *
 * Its time of issue is a round one, so that all processes with the same key have the same token without speaking to each
 * other, also where a clock is some minutes off: by its own clock a process uses a token that is 5 to 50 minutes old. Only
 * when Apple calls it expired is one issued for now, and then not again for 20 minutes (BC-51).
 */
import { type KeyObject, sign } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';

export interface ProviderTokenOptions {
  readonly teamId: string;
  readonly keyId: string;
  readonly key: KeyObject;
  readonly clock: Clock;
}

export class ProviderToken {
  readonly #options: ProviderTokenOptions;
  #token = '';
  #issuedMs = Number.NEGATIVE_INFINITY;
  #renewedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ProviderTokenOptions) {
    this.#options = options;
  }

  current(): string {
    const nowMs = this.#options.clock.now();
    const { providerTokenEveryMs: everyMs, providerTokenAgeMinMs: ageMinMs } = limits;
    const roundMs = Math.floor((nowMs - ageMinMs) / everyMs) * everyMs;
    // A clock that stepped back leaves a token from the future, which Apple refuses.
    if (nowMs < this.#issuedMs || roundMs - this.#issuedMs >= limits.providerTokenKeptMinMs) this.#issue(roundMs);
    else if (nowMs - this.#issuedMs > ageMinMs + everyMs) this.#issue(nowMs);
    return this.#token;
  }

  /** After Apple called `refused` expired: another one, or null where one more would come too soon. */
  renewed(refused: string): string | null {
    if (refused !== this.#token) return this.#token;
    const { clock } = this.#options;
    if (clock.monotonic() - this.#renewedMs < limits.providerTokenKeptMinMs) return null;
    this.#renewedMs = clock.monotonic();
    this.#issue(clock.now());
    return this.#token;
  }

  #issue(issuedMs: number): void {
    const { teamId, keyId, key } = this.#options;
    const iat = Math.floor(issuedMs / 1000);
    this.#token = signedToken({ alg: 'ES256', kid: keyId }, { iss: teamId, iat }, key);
    this.#issuedMs = issuedMs;
  }
}

/** A JWT by ES256 or RS256, by the kind of the key. */
export function signedToken(header: object, claims: object, key: KeyObject): string {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function base64url(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
