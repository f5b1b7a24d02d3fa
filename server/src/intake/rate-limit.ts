/**
 * A token bucket per caller (E6). A caller may overdraw by one request, whose size is not known before it is read;
 * it then waits until the debt is paid. Several processes can share their buckets: see `share-rate.ts`.
 */
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';

interface Bucket {
  tokens: number;
  atMs: number;
  /** What other processes have not been told of. */
  untold: number;
}

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export const usualRate: Rate = { perSecond: limits.callerEventsPerSecond, burst: limits.callerEventsBurst };

export class RateLimit {
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, rate: Rate = usualRate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Throws CARILLON_RATE_LIMITED while the caller has nothing left. */
  check(caller: string): void {
    const bucket = this.#filled(caller);
    if (bucket.tokens >= 1) return;
    const waitSeconds = Math.max(1, Math.ceil((1 - bucket.tokens) / this.#rate.perSecond));
    throw new CarillonError('CARILLON_RATE_LIMITED', 'This caller sends faster than it may.', {
      retryAfterSeconds: waitSeconds,
      headers: {
        'ratelimit-policy': `"events";q=${this.#rate.burst};w=${Math.ceil(this.#rate.burst / this.#rate.perSecond)}`,
        ratelimit: `"events";r=0;t=${waitSeconds}`,
      },
    });
  }

  spend(caller: string, events: number): void {
    const bucket = this.#filled(caller);
    bucket.tokens -= events;
    bucket.untold += events;
  }

  /** What was spent since it was taken last, by caller. */
  takeSpent(): Map<string, number> {
    const spent = new Map<string, number>();
    for (const [caller, bucket] of this.#buckets) {
      if (bucket.untold > 0) spent.set(caller, bucket.untold);
      bucket.untold = 0;
    }
    return spent;
  }

  /** What was taken is not known to others after all. Of a long time alone only a burst is held against the caller. */
  giveBack(spent: ReadonlyMap<string, number>): void {
    for (const [caller, events] of spent) {
      const bucket = this.#filled(caller);
      bucket.untold = Math.min(this.#rate.burst, bucket.untold + events);
    }
  }

  /** What is left to callers after all that was taken, of all processes. */
  settle(left: ReadonlyMap<string, number>): void {
    for (const [caller, tokens] of left) {
      const bucket = this.#filled(caller);
      bucket.tokens = tokens - bucket.untold;
    }
  }

  #filled(caller: string): Bucket {
    const nowMs = this.#clock.monotonic();
    let bucket = this.#buckets.get(caller);
    if (bucket === undefined) {
      bucket = { tokens: this.#rate.burst, atMs: nowMs, untold: 0 };
      this.#forgetFull(nowMs);
      this.#buckets.set(caller, bucket);
    }
    bucket.tokens = this.#tokensAt(bucket, nowMs);
    bucket.atMs = nowMs;
    return bucket;
  }

  #tokensAt(bucket: Bucket, nowMs: number): number {
    return Math.min(this.#rate.burst, bucket.tokens + ((nowMs - bucket.atMs) * this.#rate.perSecond) / 1000);
  }

  /** A full bucket is as good as none. */
  #forgetFull(nowMs: number): void {
    if (this.#buckets.size < limits.rateBucketsMax) return;
    for (const [caller, bucket] of this.#buckets) {
      if (this.#tokensAt(bucket, nowMs) >= this.#rate.burst) this.#buckets.delete(caller);
    }
  }
}
