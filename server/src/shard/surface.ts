/**
 * Where in a person's list changes are still told of: rows above the surface are surely among the newest `changesMax`,
 * rows below the floor surely not, and only between the two does one have to look. The surface sinks as rows come on
 * top, and is found anew in the store when it has sunk too far; a row below the floor never rises without moving.
 */
import type { NotificationId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { PersonHead } from '../inbox/inbox-store.ts';
import type { Place } from '../inbox/item.ts';

/** Behind every row. */
const lastPlace: Place = { activityAtMs: Number.NEGATIVE_INFINITY, id: '' as NotificationId };

export class Surface {
  #place: Place;
  #rowsLeft: number;
  #floor: Place = lastPlace;

  private constructor(place: Place, rowsLeft: number) {
    this.#place = place;
    this.#rowsLeft = rowsLeft;
  }

  static ofHead({ items, complete }: PersonHead): Surface {
    const place = complete ? lastPlace : (items.at(-1) ?? lastPlace);
    return new Surface(place, limits.changesMax - items.length);
  }

  /** As found in the store; null where there are not so many rows. `rowsLeft`: how many more may come on top. */
  set(place: Place | null, rowsLeft: number, floor: Place | null): void {
    this.#place = place ?? lastPlace;
    this.#rowsLeft = rowsLeft;
    this.#floor = floor ?? lastPlace;
  }

  rowCame(): void {
    this.#rowsLeft--;
  }

  isAbove(row: Place): boolean {
    return this.#rowsLeft >= 0 && !comesBefore(this.#place, row);
  }

  isBelow(row: Place): boolean {
    return comesBefore(this.#floor, row);
  }
}

/** List order: newest activity first, then id. */
export function comesBefore(a: Place, b: Place): boolean {
  return a.activityAtMs > b.activityAtMs || (a.activityAtMs === b.activityAtMs && a.id < b.id);
}
