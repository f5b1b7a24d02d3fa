/** Lets the same thing be told now and then instead of each time: a service that is away fails thousands of requests. */
import type { Clock } from './clock.ts';

export class NowAndThen {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #lastMs = new Map<string, number>();

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** Whether it is time to tell of `key` (again). Keys are few: codes, never what somebody sent. */
  isDue(key: string): boolean {
    const nowMs = this.#clock.monotonic();
    const lastMs = this.#lastMs.get(key);
    if (lastMs !== undefined && nowMs < lastMs + this.#everyMs) return false;
    this.#lastMs.set(key, nowMs);
    return true;
  }
}
