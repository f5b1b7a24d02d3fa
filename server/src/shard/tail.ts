/**
 * What the rows that are not in memory add to a person's counts: derived from the store when it is not known, and kept
 * up as rows leave memory and come back. True under the marks it was made with.
 */
import type { Revision } from '../base/ids.ts';
import { CountTally } from '../inbox/counts.ts';
import type { Item, Marks } from '../inbox/item.ts';
import { nextSnoozeEnd } from '../inbox/item-state.ts';

export class Tail {
  unread = 0;
  unseen = 0;
  /** Null while it is not known. */
  #marksVersion: Revision | null;
  /** Counted to the end, rather than until the counts were full. */
  #isExact = true;
  #untilMs = Number.POSITIVE_INFINITY;

  /** `isEmpty`: there are no rows yet but those that `add` will name. */
  constructor(isEmpty: boolean) {
    this.#marksVersion = isEmpty ? anyVersion : null;
  }

  isKnown(marks: Marks, nowMs: number): boolean {
    return this.#isCurrent(marks) && nowMs < this.#untilMs;
  }

  /** As counted in the store under these marks. */
  set(tally: CountTally, marks: Marks, nowMs: number): void {
    const { unread, unseen } = tally.exact();
    this.unread = unread;
    this.unseen = unseen;
    this.#isExact = !tally.isFull;
    this.#marksVersion = marks.version;
    this.#untilMs = nextSnoozeEnd(marks, nowMs);
  }

  /** A row has left memory. */
  add(item: Item, marks: Marks): void {
    this.#change(item, marks, 1);
  }

  /** A row is in memory again. */
  remove(item: Item, marks: Marks): void {
    if (!this.#isExact) this.#forget();
    this.#change(item, marks, -1);
  }

  #change(item: Item, marks: Marks, sign: 1 | -1): void {
    // A snoozed row comes back by itself: that is for the store to tell.
    const isSnoozed = (marks.items.get(item.id)?.snoozedUntilMs?.value ?? 0) > 0;
    if (isSnoozed || !this.#isCurrent(marks)) {
      this.#forget();
      return;
    }
    const tally = new CountTally(marks, 0);
    tally.add(item);
    const { unread, unseen } = tally.exact();
    this.unread += sign * unread;
    this.unseen += sign * unseen;
  }

  #isCurrent(marks: Marks): boolean {
    if (this.#marksVersion === anyVersion && this.unread === 0 && this.unseen === 0) this.#marksVersion = marks.version;
    return this.#marksVersion === marks.version;
  }

  #forget(): void {
    this.#marksVersion = null;
    this.unread = 0;
    this.unseen = 0;
  }
}

/** Nothing has been counted, which is true under any marks. */
const anyVersion = -1;
