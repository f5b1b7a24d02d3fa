/**
 * The list of one person made from rows that are stored by id.
 *
 * An id holds the time at which its row began, and the row, with every place it ever had, stands there or up to a
 * group's span later. So whoever has read all rows that began after some time knows the list down to a span after it.
 * Rows therefore need not be stored where they stand: a row that moves is overwritten where it is, which leaves no
 * deleted row behind and no second copy, whoever writes. Reading a list means reading the rows of one span more.
 */
import type { NotificationId } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { formerAt } from '../former-places.ts';
import type { StoredRow } from '../inbox-store.ts';
import type { Item, Place } from '../item.ts';
import { activityAtMsOf, decodeItem } from '../item-codec.ts';
import { idTimeMs, sortableTime, storedTimeMs } from '../notification-id.ts';
import { placeKey } from '../place-key.ts';

/** Behind all ids of rows, and of those that began at one time. */
export const idsEnd = 'n~';

/** What a list is made of: rows, or rows and the places they have left. */
export type ListPart = 'items' | 'places';

export interface ListOptions {
  readonly part: ListPart;
  /** Only what stands behind this. */
  readonly after: Place | null;
}

/** A row as it is stored; without an item it only holds marks. */
export interface StoredItem {
  readonly id: string;
  readonly item: string | null;
}

interface Entry {
  readonly key: string;
  readonly timeMs: number;
  /** Rows that only have to be put in order are not decoded: a text is one such. */
  readonly row: StoredRow | string;
}

export class ListWindow {
  #entries: Entry[] = [];
  /** Rows that have not been read began at this time or before; null if there are none. */
  readonly #unreadMs: number | null;

  /** `rows` are all with ids down to `leastId`; null: all there are. */
  constructor(rows: readonly StoredItem[], leastId: string | null, { part, after }: ListOptions) {
    this.#unreadMs = leastId === null ? null : idTimeMs(leastId);
    for (const { id, item: text } of rows) {
      if (text === null) continue;
      if (part === 'items') this.#add(text, { activityAtMs: activityAtMsOf(text), id: id as NotificationId });
      else this.#addPlaces(decodeItem(text));
    }
    const afterKey = after === null ? '' : placeKey(after);
    this.#entries = this.#entries.filter(({ key }) => key > afterKey);
    this.#entries.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  get size(): number {
    return this.#entries.length;
  }

  /** There are no rows but those it knows. */
  get isWhole(): boolean {
    return this.#unreadMs === null;
  }

  /** Nothing unread can stand among the first `count`. */
  isSure(count: number): boolean {
    if (this.#unreadMs === null) return true;
    const last = this.#entries[count - 1];
    return last !== undefined && last.timeMs > this.#unreadMs + limits.groupSpanMs;
  }

  /** With all rows from this id on the first `count` are sure. There must be that many. */
  leastIdFor(count: number): string {
    const { timeMs } = this.#entries[count - 1] as Entry;
    return `n_${sortableTime(timeMs - limits.groupSpanMs)}`;
  }

  first(count: number): StoredRow[] {
    return this.#entries
      .slice(0, count)
      .map(({ row }) => (typeof row === 'string' ? { kind: 'item', item: decodeItem(row) } : row));
  }

  /** Where it stands, and where it stood. */
  #addPlaces(item: Item): void {
    this.#add({ kind: 'item', item }, item);
    for (const [index, { activityAtMs }] of item.formerPlaces.entries()) {
      // Where it stands it has not left, and of several spans at one place it tells once.
      if (activityAtMs === item.activityAtMs) continue;
      if (item.formerPlaces.findIndex((other) => other.activityAtMs === activityAtMs) < index) continue;
      const place = formerAt(item, { activityAtMs, id: item.id });
      if (place !== null) this.#add({ kind: 'former', id: item.id, place }, { activityAtMs, id: item.id });
    }
  }

  #add(row: StoredRow | string, place: Place): void {
    this.#entries.push({ key: placeKey(place), timeMs: storedTimeMs(place.activityAtMs), row });
  }
}

/** No row that has ever stood behind this place has a greater id. */
export function greatestIdBehind(place: Place): string {
  return `n_${sortableTime(place.activityAtMs)}~`;
}
