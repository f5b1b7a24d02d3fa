/**
 * What the rows in memory add to a person's counts, so that a change costs the rows that changed and not all of them:
 * each row remembers how it was counted. Counted anew when marks have changed, a snooze ends, or rows came unseen.
 */
import { type CountedAs, countedAs } from '../inbox/counts.ts';
import type { Item, Marks } from '../inbox/item.ts';
import { nextSnoozeEnd } from '../inbox/item-state.ts';

export interface CountedRow {
  readonly item: Item;
  counted: CountedAs;
}

export class HeldCounts {
  unread = 0;
  unseen = 0;
  /** The marks it was counted under; null when it must be counted anew. */
  #marks: Marks | null = null;
  #untilMs = 0;

  /** Something changed that `update` will not be told of. */
  forget(): void {
    this.#marks = null;
  }

  /** Brings the sums up to date. `changed`: the rows of `held` that have changed since the last call. */
  update(held: readonly CountedRow[], changed: readonly CountedRow[], marks: Marks, nowMs: number): void {
    const isCurrent = this.#marks === marks && nowMs < this.#untilMs;
    if (!isCurrent) {
      this.#marks = marks;
      this.#untilMs = nextSnoozeEnd(marks, nowMs);
      this.unread = 0;
      this.unseen = 0;
      for (const row of held) row.counted = 0;
    }
    for (const row of isCurrent ? changed : held) {
      this.leave(row);
      row.counted = countedAs(row.item, marks, nowMs);
      this.#add(row.counted, 1);
    }
  }

  /** A row is not held any more. */
  leave(row: CountedRow): void {
    this.#add(row.counted, -1);
    row.counted = 0;
  }

  #add(counted: CountedAs, sign: 1 | -1): void {
    if (counted >= 1) this.unread += sign;
    if (counted === 2) this.unseen += sign;
  }
}
