/**
 * Reads inboxes for streams, without a storm: some at a time, those of streams that open first, and of those that must
 * catch up only so many a second, since a lost connection makes them all behind at once. A read that fails is tried
 * again, for as long as the stream is there.
 */
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';

export interface FeedReadLimits {
  readonly feedReadsAtOnce: number;
  readonly feedCatchupsPerSecond: number;
  readonly feedRetryMs: number;
}

export class FeedReads<Feed> {
  readonly #clock: Clock;
  readonly #read: (feed: Feed) => Promise<void>;
  readonly #limits: FeedReadLimits;
  readonly #opening = new Set<Feed>();
  readonly #behind = new Set<Feed>();
  #running = 0;
  /** Catch-ups left until the next refill. */
  #allowance: number;
  #stopRefill: (() => void) | null = null;

  /** `read`: whether the feed is still there is for it to look. */
  constructor(clock: Clock, read: (feed: Feed) => Promise<void>, given: FeedReadLimits = limits) {
    this.#clock = clock;
    this.#read = read;
    this.#limits = given;
    this.#allowance = this.#perRefill;
  }

  get waiting(): number {
    return this.#opening.size + this.#behind.size;
  }

  open(feed: Feed): void {
    this.#opening.add(feed);
    this.#go();
  }

  catchUp(feed: Feed): void {
    this.#behind.add(feed);
    this.#go();
  }

  drop(feed: Feed): void {
    this.#opening.delete(feed);
    this.#behind.delete(feed);
  }

  close(): void {
    this.#opening.clear();
    this.#behind.clear();
    this.#stopRefill?.();
  }

  get #perRefill(): number {
    return Math.ceil((this.#limits.feedCatchupsPerSecond * refillMs) / 1000);
  }

  #go(): void {
    while (this.#running < this.#limits.feedReadsAtOnce) {
      const from = this.#opening.size > 0 ? this.#opening : this.#behind;
      const [feed] = from;
      if (feed === undefined || (from === this.#behind && !this.#allow())) return;
      from.delete(feed);
      this.#running++;
      void this.#run(feed, from);
    }
  }

  async #run(feed: Feed, from: Set<Feed>): Promise<void> {
    try {
      await this.#read(feed);
    } catch {
      this.#clock.after(this.#limits.feedRetryMs, () => {
        from.add(feed);
        this.#go();
      });
    }
    this.#running--;
    this.#go();
  }

  #allow(): boolean {
    this.#stopRefill ??= this.#clock.after(refillMs, () => {
      this.#stopRefill = null;
      this.#allowance = this.#perRefill;
      this.#go();
    });
    if (this.#allowance === 0) return false;
    this.#allowance--;
    return true;
  }
}

const refillMs = 100;
