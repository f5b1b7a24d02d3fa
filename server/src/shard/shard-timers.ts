/**
 * The timers of one owned shard: says when the shard should look, and runs what is due between its micro-batches.
 *
 *   asleep ──a timer is due, or a minute has passed──▶ wake ──turn──▶ asleep, or due again at once
 *
 * Effects happen once although timers may run twice: `run` decides from the state it finds, under ids that say what they
 * stand for, and resolves once all it led to is written; only then are the timers done. New ones are written by `set`
 * before the rows that need them. So a crash anywhere repeats a timer that finds its work done, and loses none.
 *
 * A turn runs a bounded number, so that events never wait long. A timer that could not be run is put off, by itself, and
 * does not stand in the way of others. If `run` throws, none of its timers is done, and the shard fails as for any
 * other error.
 */
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Timer, TimerChange, TimerStore } from './timer-store.ts';

export interface ShardTimersOptions {
  readonly shard: number;
  readonly store: TimerStore;
  readonly clock: Clock;
  /** Resolves once everything that these timers led to is written. Answers those that could not be run. */
  run(timers: readonly Timer[]): Promise<readonly Timer[]>;
  /** There is something to run: call `turn` between two micro-batches. */
  wake(): void;
}

export class ShardTimers {
  readonly #options: ShardTimersOptions;
  /** No timer is due before this; infinite if there is none. */
  #nextMs = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};
  #isClosed = false;
  /** How far `addBeside` has come. */
  #seen: Timer | null = null;

  constructor(options: ShardTimersOptions) {
    this.#options = options;
  }

  /** To be called when the shard is taken over, before anything is set. */
  async open(): Promise<void> {
    const { store, shard } = this.#options;
    await store.open(shard);
    await this.#look();
  }

  /** To be called before the rows are written that need these timers. `done`: those that have moved. */
  async set(change: TimerChange): Promise<void> {
    const { store, shard } = this.#options;
    await store.write(shard, change);
    const leastMs = Math.min(...(change.set ?? []).map(({ dueMs }) => dueMs));
    if (leastMs < this.#nextMs) this.#sleepUntil(leastMs);
  }

  get isDue(): boolean {
    return this.#nextMs <= this.#options.clock.now();
  }

  /** Runs what is due, up to `limits.timersPerTurn`. Answers how many. */
  async turn(): Promise<number> {
    const { store, shard, clock, run } = this.#options;
    if (!this.isDue) {
      this.#sleepUntil(this.#nextMs);
      return 0;
    }
    const due = await store.due(shard, clock.now(), limits.timersPerTurn);
    if (due.length > 0) {
      const failed = await run(due);
      const retryMs = clock.now() + limits.timerRetryMs;
      await store.write(shard, { set: failed.map((timer) => ({ ...timer, dueMs: retryMs })), done: due });
    }
    await this.#look();
    return due.length;
  }

  /**
   * One step through all timers, due or not: what `beside` answers for one is set beside it. Answers whether the end is
   * reached; the next call begins anew.
   */
  async addBeside(beside: (timer: Timer) => Timer | null): Promise<boolean> {
    const { store, shard } = this.#options;
    const timers = await store.list(shard, this.#seen, limits.timersPerTurn);
    const set = timers.flatMap((timer) => beside(timer) ?? []);
    if (set.length > 0) await this.set({ set });
    const isAtEnd = timers.length < limits.timersPerTurn;
    this.#seen = isAtEnd ? null : (timers.at(-1) ?? null);
    return isAtEnd;
  }

  /** One step through all timers behind `after`: those of the person are done. Answers where to go on; null at the end. */
  async dropOf(person: PersonKey, after: Timer | null): Promise<Timer | null> {
    const { store, shard } = this.#options;
    const timers = await store.list(shard, after, limits.timersPerTurn);
    const done = timers.filter((timer) => timer.person === person);
    if (done.length > 0) await store.write(shard, { done });
    return timers.length < limits.timersPerTurn ? null : (timers.at(-1) ?? null);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { store, shard } = this.#options;
    this.#sleepUntil((await store.nextDueMs(shard)) ?? Number.POSITIVE_INFINITY);
  }

  /** Never long at once: the wall clock may step, which the wait does not notice. */
  #sleepUntil(nextMs: number): void {
    const { clock, wake } = this.#options;
    this.#nextMs = nextMs;
    this.#cancel();
    if (this.#isClosed || nextMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.min(Math.max(0, nextMs - clock.now()), limits.timerLookMs);
    this.#cancel = clock.after(waitMs, wake);
  }
}
