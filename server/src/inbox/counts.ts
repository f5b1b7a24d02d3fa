/**
 * Counts, derived from rows and marks each time and never stored as numbers that go up and down (I4):
 * so they cannot drift, and equal what the list can show.
 */
import type { Counts } from '@carillon/contract/notification.ts';
import type { Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Item, Marks } from './item.ts';
import { isArchived, isRead, isSeen, isSnoozed } from './item-state.ts';

/** `items`: all rows of the person, newest first, or as many as it takes until both counts are cut. */
export function countItems(items: Iterable<Item>, marks: Marks, nowMs: number, revision: Revision): Counts {
  const tally = new CountTally(marks, nowMs);
  for (const item of items) if (!tally.add(item)) break;
  return tally.counts(revision);
}

/** The same for rows that arrive in parts. */
export class CountTally {
  readonly #marks: Marks;
  readonly #nowMs: number;
  #unread = 0;
  #unseen = 0;

  constructor(marks: Marks, nowMs: number) {
    this.#marks = marks;
    this.#nowMs = nowMs;
  }

  /** Answers whether further rows could still change the counts. One beyond the cap shows that it was cut. */
  add(item: Item): boolean {
    const counted = countedAs(item, this.#marks, this.#nowMs);
    if (counted >= 1) this.#unread++;
    if (counted === 2) this.#unseen++;
    return this.#unread <= limits.countMax || this.#unseen <= limits.countMax;
  }

  /** Adds what has been counted elsewhere. */
  addAll({ unread, unseen }: { readonly unread: number; readonly unseen: number }): void {
    this.#unread += unread;
    this.#unseen += unseen;
  }

  /** As far as counted, without the cap. */
  exact(): { unread: number; unseen: number } {
    return { unread: this.#unread, unseen: this.#unseen };
  }

  get isFull(): boolean {
    return this.#unread > limits.countMax && this.#unseen > limits.countMax;
  }

  counts(revision: Revision): Counts {
    return {
      unread: Math.min(this.#unread, limits.countMax),
      unseen: Math.min(this.#unseen, limits.countMax),
      capped: this.#unread > limits.countMax || this.#unseen > limits.countMax,
      revision,
      marksVersion: this.#marks.version,
    };
  }
}

/** 0: not at all · 1: unread · 2: unread and unseen. */
export type CountedAs = 0 | 1 | 2;

export function countedAs(item: Item, marks: Marks, nowMs: number): CountedAs {
  if (item.state !== 'live') return 0;
  const mark = marks.items.get(item.id);
  if (isArchived(mark) || isSnoozed(mark, nowMs) || isRead(item, mark, marks)) return 0;
  return isSeen(item, mark, marks) ? 1 : 2;
}
