/** Timers of one shard that are in memory, by name and in order. */
import { compareTimers } from '../timer-order.ts';
import type { Timer, TimerKey } from '../timer-store.ts';

/** A bundle with what of it is still to be done. */
export interface LoadedBundle {
  /** Of its key: first due time and number. */
  readonly place: string;
  readonly entries: readonly TimerEntry[];
  left: number;
}

export interface TimerEntry {
  readonly timer: Timer;
  readonly bundle: LoadedBundle;
  isDone: boolean;
  /** The next one of the same id. */
  next: TimerEntry | undefined;
}

export class LoadedTimers {
  readonly bundles = new Map<string, LoadedBundle>();
  /** Of one id there may be several, of different times. */
  readonly #byId = new Map<string, TimerEntry>();
  #inOrder: TimerEntry[] = [];
  #isSorted = true;
  /** Before it, all are done. */
  #head = 0;

  get({ id, dueMs }: Pick<TimerKey, 'id' | 'dueMs'>): TimerEntry | undefined {
    let entry = this.#byId.get(id);
    while (entry !== undefined && entry.timer.dueMs !== dueMs) entry = entry.next;
    return entry;
  }

  /** A bundle with those of its places that are done. */
  add(place: string, timers: readonly Timer[], done: ReadonlySet<number>): LoadedBundle {
    const entries: TimerEntry[] = [];
    const bundle: LoadedBundle = { place, entries, left: timers.length - done.size };
    for (const [index, timer] of timers.entries()) {
      const entry: TimerEntry = { timer, bundle, isDone: done.has(index), next: undefined };
      entries.push(entry);
      if (!entry.isDone) this.#remember(entry);
    }
    this.#inOrder = this.#inOrder.slice(this.#head).concat(entries).filter(isLeft);
    this.#head = 0;
    this.#isSorted = false;
    this.bundles.set(place, bundle);
    return bundle;
  }

  done(entry: TimerEntry): void {
    if (entry.isDone) return;
    entry.isDone = true;
    this.#forget(entry);
    entry.bundle.left--;
    if (entry.bundle.left === 0) this.bundles.delete(entry.bundle.place);
  }

  /** The first `max` that are due by then. */
  first(max: number, untilMs: number): Timer[] {
    this.#sort();
    const timers: Timer[] = [];
    for (let at = this.#head; at < this.#inOrder.length && timers.length < max; at++) {
      const { timer, isDone } = this.#inOrder[at] as TimerEntry;
      if (timer.dueMs > untilMs) break;
      if (!isDone) timers.push(timer);
      else if (at === this.#head) this.#head++;
    }
    return timers;
  }

  /** Of two that are the same timer, the one of the greater revision is found. */
  #remember(entry: TimerEntry): void {
    const { id } = entry.timer;
    const first = this.#byId.get(id);
    const isLater = first === undefined || first.timer.revision <= entry.timer.revision;
    if (isLater) {
      entry.next = first;
      this.#byId.set(id, entry);
      return;
    }
    let before = first;
    while (before.next !== undefined && before.next.timer.revision > entry.timer.revision) before = before.next;
    entry.next = before.next;
    before.next = entry;
  }

  #forget(entry: TimerEntry): void {
    const { id } = entry.timer;
    const first = this.#byId.get(id);
    if (first === entry) {
      if (entry.next === undefined) this.#byId.delete(id);
      else this.#byId.set(id, entry.next);
      return;
    }
    for (let before = first; before !== undefined; before = before.next) {
      if (before.next === entry) before.next = entry.next;
    }
  }

  #sort(): void {
    if (!this.#isSorted) this.#inOrder.sort((a, b) => compareTimers(a.timer, b.timer));
    this.#isSorted = true;
  }
}

function isLeft({ isDone }: TimerEntry): boolean {
  return !isDone;
}
