/**
 * Retention (I6): rows past their time, and the oldest rows of people who have too many, leave the hot store.
 *
 * Works through everybody in small steps: at most `limits.retentionStepRows` rows are archived and removed at once, and
 * other work runs between steps. Rows are archived before they go, so a crash between repeats the archiving and loses
 * nothing. Counts and lists are derived from the rows, so at no step do they disagree (BC-33).
 */
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Service } from '../base/service.ts';
import type { InboxStore } from './inbox-store.ts';
import type { Item, Place } from './item.ts';

export interface RetentionParts {
  readonly store: InboxStore;
  readonly clock: Clock;
  /**
   * Removes rows with a fresh revision of the person: by whoever else writes this person's rows, so that the two do
   * not write the same row at once and caches follow.
   */
  readonly remove: (person: PersonKey, items: readonly Item[]) => Promise<void>;
  /** Keeps the rows elsewhere, durably, before they go. Absent: they are simply deleted. */
  readonly archive?: (person: PersonKey, items: readonly Item[]) => Promise<void>;
  /** Whose rows are looked at; everybody's unless given. Asked again for each person, as the answer may change. */
  readonly concerns?: (person: PersonKey) => boolean;
  /** How long rows of a category are kept, in ms from intake, where that differs from `limits.retentionMs`. */
  readonly keptMs?: Readonly<Record<string, number>>;
  readonly retentionMs?: number;
  readonly rowsPerPersonMax?: number;
  /** Told how many rows a pass by the clock removed, if any. */
  readonly trimmed?: (rows: number) => void;
  /** Told of a pass by the clock that failed; the next one starts over. */
  readonly failed: (error: unknown) => void;
}

const peopleAtOnce = 100;

export class Retention implements Service {
  readonly #parts: RetentionParts;
  readonly #cancel: () => void;
  #running: Promise<number> | null = null;
  #isStopped = false;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#cancel = parts.clock.every(limits.retentionEveryMs, () => void this.#runByClock());
  }

  /** One pass over everybody; joins the one that runs. Answers the rows removed. */
  run(): Promise<number> {
    this.#running ??= this.#pass().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Waits for the step in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running?.catch(() => {});
  }

  async #runByClock(): Promise<void> {
    // A pass that takes longer than the period is told of once.
    if (this.#running !== null) return;
    try {
      const rows = await this.run();
      if (rows > 0) this.#parts.trimmed?.(rows);
    } catch (error) {
      this.#parts.failed(error);
    }
  }

  async #pass(): Promise<number> {
    let removed = 0;
    let last: PersonKey | null = null;
    for (;;) {
      const people: readonly PersonKey[] = await this.#parts.store.people(last, peopleAtOnce);
      for (const person of people) {
        if (this.#isStopped) return removed;
        last = person;
        if (this.#parts.concerns?.(person) === false) continue;
        removed += await this.#trim(person);
        await othersFirst();
      }
      if (people.length < peopleAtOnce) return removed;
    }
  }

  async #trim(person: PersonKey): Promise<number> {
    const { store, rowsPerPersonMax = limits.rowsPerPersonMax } = this.#parts;
    const lastKept = await store.placeAt(person, rowsPerPersonMax - 1);
    const removed = lastKept === null ? 0 : await this.#removeFrom(person, lastKept, () => true);
    const nowMs = this.#parts.clock.now();
    const { keptMs = {}, retentionMs = limits.retentionMs } = this.#parts;
    const leastKeptMs = Math.min(retentionMs, ...Object.values(keptMs));
    // Intake follows activity, but for events dated ahead: newer rows than this cannot have run out.
    const from = { activityAtMs: nowMs - leastKeptMs + limits.eventAheadMs, id: '' as Place['id'] };
    const isOver = (item: Item): boolean => item.acceptedAtMs < nowMs - (keptMs[item.category] ?? retentionMs);
    return removed + (await this.#removeFrom(person, from, isOver));
  }

  /** Removes what `isOver` names among the rows after `from`, step by step. */
  async #removeFrom(person: PersonKey, from: Place, isOver: (item: Item) => boolean): Promise<number> {
    const { store, archive, remove } = this.#parts;
    let removed = 0;
    let after = from;
    while (!this.#isStopped) {
      const rows = await store.rows(person, after, limits.retentionStepRows);
      const over: Item[] = [];
      for (const row of rows) {
        if (row.kind === 'item' && isOver(row.item)) over.push(row.item);
        after = row.kind === 'item' ? row.item : { activityAtMs: row.place.activityAtMs, id: row.id };
      }
      if (over.length > 0) {
        await archive?.(person, over);
        await remove(person, over);
        removed += over.length;
      }
      if (rows.length < limits.retentionStepRows) break;
      await othersFirst();
    }
    return removed;
  }
}

/** Lets everything that waits have its turn. */
function othersFirst(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
