/**
 * Exact counts of a person (I4): from the head where that decides them, else from all rows, remembered until
 * rows or marks change or a snooze ends.
 */
import type { Counts } from '@carillon/contract/notification.ts';
import type { Clock } from '../base/clock.ts';
import type { PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { CountTally } from './counts.ts';
import type { InboxStore, PersonHead } from './inbox-store.ts';
import type { Marks, Place } from './item.ts';
import { nextSnoozeEnd } from './item-state.ts';
import { personRevision } from './person-revision.ts';

interface Remembered {
  readonly deepRevision: Revision;
  /** When the next snoozed row comes back. */
  readonly untilMs: number;
  readonly counts: Counts;
}

export class InboxCounts {
  readonly #store: InboxStore;
  readonly #clock: Clock;
  #remembered = new Map<PersonKey, Remembered>();

  constructor(store: InboxStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** `head`: of at least `limits.changesMax` rows, just read. */
  async of(person: PersonKey, head: PersonHead): Promise<Counts> {
    const nowMs = this.#clock.now();
    const tally = tallyOf(head, head.marks, nowMs);
    const revision = personRevision(head);
    if (head.complete || tally.isFull) return tally.counts(revision);
    const known = this.#remembered.get(person);
    if (known !== undefined && isCurrent(known, head, revision, nowMs)) return known.counts;
    return this.#count(person, head, nowMs);
  }

  async #count(person: PersonKey, first: PersonHead, nowMs: number): Promise<Counts> {
    let head = first;
    for (let look = 0; ; look++) {
      // Old rows may have marks that the head does not carry.
      const marks = await this.#store.marks(person);
      const tally = tallyOf(head, marks, nowMs);
      await this.#addRest(person, head.items.at(-1) ?? null, tally);
      const counts = tally.counts(personRevision(head));
      const after = await this.#store.head(person, limits.changesMax);
      // A row that moved from below into the head while we looked was met nowhere: look again.
      if (look === 2 || (personRevision(after) === counts.revision && after.marks.version === marks.version)) {
        this.#remember(person, { deepRevision: head.deepRevision, untilMs: nextSnoozeEnd(marks, nowMs), counts });
        return counts;
      }
      head = after;
    }
  }

  async #addRest(person: PersonKey, last: Place | null, tally: CountTally): Promise<void> {
    let after = last;
    while (!tally.isFull) {
      const rows = await this.#store.rows(person, after, limits.readStepRows);
      for (const row of rows) {
        if (row.kind === 'item') tally.add(row.item);
        after = row.kind === 'item' ? row.item : { activityAtMs: row.place.activityAtMs, id: row.id };
      }
      if (rows.length < limits.readStepRows) return;
    }
  }

  #remember(person: PersonKey, known: Remembered): void {
    this.#remembered.delete(person);
    this.#remembered.set(person, known);
    if (this.#remembered.size <= limits.cachedCountsMax) return;
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }
}

function tallyOf(head: PersonHead, marks: Marks, nowMs: number): CountTally {
  const tally = new CountTally(marks, nowMs);
  for (const item of head.items) if (!tally.add(item)) break;
  return tally;
}

function isCurrent(known: Remembered, head: PersonHead, revision: Revision, nowMs: number): boolean {
  return (
    known.counts.revision === revision &&
    known.counts.marksVersion === head.marks.version &&
    known.deepRevision === head.deepRevision &&
    nowMs < known.untilMs
  );
}
