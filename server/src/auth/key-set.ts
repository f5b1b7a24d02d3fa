/**
 * Keys that a token issuer publishes at a URL (JWKS), cached by `kid` (S2).
 *
 *   empty → fetch, and fail closed while that fails · fresh → answer from the cache · old (10 min) → answer, and fetch
 *   beside it · unknown `kid` → fetch, at most once in 30 s, so that made-up ids cannot make us hammer the issuer.
 * A failed fetch keeps the keys there are: an issuer that is down does not lock anybody out.
 */
import { importJWK, type JWK } from 'jose';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';

export type VerifyKey = CryptoKey | Uint8Array;

export type FetchKeys = (url: string, signal: AbortSignal) => Promise<Response>;

/** Redirects are refused: the address is the trust. */
export const fetchKeys: FetchKeys = (url, signal) =>
  fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });

export class KeySet {
  readonly #url: string;
  readonly #algorithm: string;
  readonly #clock: Clock;
  readonly #fetch: FetchKeys;
  readonly #failed: () => void;
  #keys: ReadonlyMap<string, VerifyKey> = new Map();
  #fetchedMs = Number.NEGATIVE_INFINITY;
  #triedMs = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | null = null;

  /** `failed` hears of every fetch that brought no key. */
  constructor(options: { url: string; algorithm: string; clock: Clock; fetch?: FetchKeys; failed?: () => void }) {
    this.#url = options.url;
    this.#algorithm = options.algorithm;
    this.#clock = options.clock;
    this.#fetch = options.fetch ?? fetchKeys;
    this.#failed = options.failed ?? (() => {});
  }

  /** The key of that id; without an id the only key there is. Null if there is none, or none could be had. */
  async find(kid: string | undefined): Promise<VerifyKey | null> {
    const known = this.#known(kid);
    const nowMs = this.#clock.monotonic();
    if (known !== undefined) {
      if (nowMs - this.#fetchedMs >= limits.keySetFreshMs) void this.#refresh(nowMs);
      return known;
    }
    await this.#refresh(nowMs);
    return this.#known(kid) ?? null;
  }

  #known(kid: string | undefined): VerifyKey | undefined {
    if (kid !== undefined) return this.#keys.get(kid);
    return this.#keys.size === 1 ? this.#keys.values().next().value : undefined;
  }

  #refresh(nowMs: number): Promise<void> {
    if (this.#fetching === null && nowMs - this.#triedMs >= limits.keySetRetryMs) {
      this.#triedMs = nowMs;
      this.#fetching = this.#load().finally(() => {
        this.#fetching = null;
      });
    }
    return this.#fetching ?? Promise.resolve();
  }

  async #load(): Promise<void> {
    const stop = new AbortController();
    const cancel = this.#clock.after(limits.keySetFetchMs, () => stop.abort());
    try {
      const response = await this.#fetch(this.#url, stop.signal);
      const text = await boundedText(response, limits.keySetBytesMax);
      const keys = await this.#import(JSON.parse(text));
      if (keys.size === 0) throw new Error('The issuer publishes no key that can be used here.');
      this.#keys = keys;
      this.#fetchedMs = this.#clock.monotonic();
    } catch {
      // Stale keys go on serving; with none at all nobody gets in.
      this.#failed();
    } finally {
      cancel();
    }
  }

  /** Keys that cannot be used here are passed over: an issuer may publish others beside ours. */
  async #import(document: unknown): Promise<Map<string, VerifyKey>> {
    const keys = new Map<string, VerifyKey>();
    const listed = (document as { keys?: unknown }).keys;
    for (const jwk of Array.isArray(listed) ? (listed as JWK[]) : []) {
      // Published symmetric keys would be no secret.
      if (jwk.kty === 'oct' || (jwk.use ?? 'sig') !== 'sig' || (jwk.alg ?? this.#algorithm) !== this.#algorithm)
        continue;
      try {
        keys.set(jwk.kid ?? `#${keys.size}`, await importJWK(jwk, this.#algorithm));
      } catch {}
    }
    return keys;
  }
}

async function boundedText(response: Response, bytesMax: number): Promise<string> {
  if (!response.ok || response.body === null) throw new Error(`The issuer answered ${response.status}.`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error('The key set is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
