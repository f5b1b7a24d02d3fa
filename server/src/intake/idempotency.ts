/**
 * `Idempotency-Key` as in the IETF draft (E3, A6): a repeated request gets the first one's answer.
 *
 * A key is running (in memory only, so that a crash cannot leave it stuck), answered (in the store, 24 h), or free.
 *   free → running: the work begins · running → answered: it ended with an answer · running → free: it failed, or the
 *   process died. Work that ended in a crash before its answer was stored runs again: the ids in it make that harmless.
 * The same key with another request is 422 while running and while answered; the same request is 409 while running.
 */
import type { Principal } from '../auth/principal.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { digest } from '../base/hash.ts';
import { limits } from '../base/limits.ts';
import type { IdempotencyStore, StoredAnswer } from './idempotency-store.ts';

/** What a request is: who makes it, of what, and with which body. */
export interface IdempotentRequest {
  readonly principal: Principal;
  /** `POST /v1/events`. */
  readonly operation: string;
  /** With its parameters: the same key on another resource is another request. */
  readonly url: string;
  /** The header as it came. */
  readonly key: string;
  readonly body: Uint8Array;
}

/** The part of an answer that can be kept: JSON as text, bytes or object. */
export interface Reply {
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Idempotency {
  readonly #store: IdempotencyStore;
  readonly #clock: Clock;
  readonly #onStoreFailure: (error: unknown) => void;
  /** Scoped key → digest of the request that is running. */
  readonly #running = new Map<string, string>();

  constructor(store: IdempotencyStore, clock: Clock, onStoreFailure: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onStoreFailure = onStoreFailure;
  }

  /** Throws CARILLON_IDEMPOTENCY_REUSED, CARILLON_IDEMPOTENCY_RUNNING, CARILLON_REQUEST_INVALID, and what `work` throws. */
  async run<R extends Reply>(request: IdempotentRequest, work: () => Promise<R>): Promise<R | Reply> {
    const key = scopedKey(request);
    const body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength);
    const wanted = digest([request.url, body.toString('latin1')], 43);
    const running = this.#running.get(key);
    if (running !== undefined) throw running === wanted ? stillRunning() : reused();
    // Before the first await, so that of two requests at the same instant only one gets past [BC-01].
    this.#running.set(key, wanted);
    try {
      const stored = await this.#store.get(key, this.#clock.now());
      if (stored === null) return await this.#first(key, wanted, work);
      if (stored.request !== wanted) throw reused();
      return { status: stored.status, headers: stored.headers, body: stored.body };
    } finally {
      this.#running.delete(key);
    }
  }

  async #first<R extends Reply>(key: string, request: string, work: () => Promise<R>): Promise<R> {
    const reply = await work();
    const { status, headers = {}, body = '' } = reply;
    const answer: StoredAnswer = { request, status, headers, body: asText(body) };
    try {
      await this.#store.put(key, answer, this.#clock.now() + limits.idempotencyKeptMs);
    } catch (error) {
      // The work is done and durable: better a repetition that runs again than a failure that is none.
      this.#onStoreFailure(error);
    }
    return reply;
  }
}

/** One key of one caller of one tenant for one operation. */
function scopedKey(request: IdempotentRequest): string {
  const { principal } = request;
  const caller = principal.kind === 'user' ? principal.user : principal.caller;
  return digest([principal.tenant, principal.kind, caller, request.operation, readKey(request.key)], 43);
}

/** A structured-field string (`"k1"`), or a bare token, which many clients send. */
function readKey(header: string): string {
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? (/^[A-Za-z0-9_.:~/+=*-]+$/.test(header) ? header : '');
  if (key.length === 0 || key.length > limits.idempotencyKeyCharsMax) {
    const detail = `Must be a quoted string of 1 to ${limits.idempotencyKeyCharsMax} characters.`;
    throw new CarillonError('CARILLON_REQUEST_INVALID', `Idempotency-Key: ${detail}`, {
      fields: [{ path: 'header/idempotency-key', detail }],
    });
  }
  return key;
}

function asText(body: object | string): string {
  if (typeof body === 'string') return body;
  return Buffer.isBuffer(body) ? body.toString('utf8') : JSON.stringify(body);
}

function reused(): CarillonError {
  return new CarillonError('CARILLON_IDEMPOTENCY_REUSED', 'The key belongs to another request.');
}

function stillRunning(): CarillonError {
  return new CarillonError('CARILLON_IDEMPOTENCY_RUNNING', 'The first request with this key has not ended yet.', {
    retryAfterSeconds: 1,
  });
}
