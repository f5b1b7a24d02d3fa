/**
 * The places that a person's last rows took, to tell how many rows stand above another without looking in the store:
 * events arrive nearly, but not quite, in order of time, and a lane that waits comes late as a whole.
 */
import { limits } from '../base/limits.ts';

/** As many as matter to whoever asks. */
const remembered = limits.changesMax;

export class RecentPlaces {
  /** Activity times of the last rows placed, in a ring. */
  readonly #times: number[] = [];
  #next = 0;
  #newestMs: number;
  /** Greatest time of any row not in the ring. */
  #othersMs: number;

  /** `newestMs`: of the rows there are already. */
  constructor(newestMs: number) {
    this.#newestMs = newestMs;
    this.#othersMs = newestMs;
  }

  /** Greatest time of any row so far. */
  get newestMs(): number {
    return this.#newestMs;
  }

  note(activityAtMs: number): void {
    this.#newestMs = Math.max(this.#newestMs, activityAtMs);
    if (this.#times.length < remembered) {
      this.#times.push(activityAtMs);
      return;
    }
    this.#othersMs = Math.max(this.#othersMs, this.#times[this.#next] as number);
    this.#times[this.#next] = activityAtMs;
    this.#next = (this.#next + 1) % remembered;
  }

  /**
   * How many rows are above a place: exact, or `changesMax` where so many have come since one that is above it that it
   * counts as deep, or infinite where that cannot be told.
   */
  above(activityAtMs: number): number {
    if (activityAtMs < this.#othersMs) return this.#times.length < remembered ? Number.POSITIVE_INFINITY : remembered;
    let above = 0;
    for (const time of this.#times) if (time > activityAtMs) above++;
    return above;
  }
}
