/** Shared token buckets in memory, for tests of several processes in one: all share one object. */
import type { Clock } from '../base/clock.ts';
import type { Rate } from './rate-limit.ts';
import type { RateShare } from './rate-share.ts';

export class RateShareMemory implements RateShare {
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  isAway = false;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  async spend(spent: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    await null;
    if (this.isAway) throw new Error('the shared buckets cannot be reached');
    const { burst, perSecond } = this.#rate;
    const nowMs = this.#clock.monotonic();
    const left = new Map<string, number>();
    for (const [caller, events] of spent) {
      const bucket = this.#buckets.get(caller) ?? { tokens: burst, atMs: nowMs };
      const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) * perSecond) / 1000) - events;
      this.#buckets.set(caller, { tokens, atMs: nowMs });
      left.set(caller, tokens);
    }
    return left;
  }
}
