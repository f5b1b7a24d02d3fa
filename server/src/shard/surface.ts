/**
 * A place in a person's list above which rows are surely among the newest `changesMax`: changes to them need no look at
 * where they stand. It sinks as rows come on top, and is found anew in the store when it has sunk too far.
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

  private constructor(place: Place, rowsLeft: number) {
    this.#place = place;
    this.#rowsLeft = rowsLeft;
  }

  static ofHead({ items, complete }: PersonHead): Surface {
    const place = complete ? lastPlace : (items.at(-1) ?? lastPlace);
    return new Surface(place, limits.changesMax - items.length);
  }

  /** `place`: null where every row is above. */
  set(place: Place | null, rowsLeft: number): void {
    this.#place = place ?? lastPlace;
    this.#rowsLeft = rowsLeft;
  }

  rowCame(): void {
    this.#rowsLeft--;
  }

  isAbove(row: Place): boolean {
    if (this.#rowsLeft < 0) return false;
    const { activityAtMs, id } = this.#place;
    return row.activityAtMs > activityAtMs || (row.activityAtMs === activityAtMs && row.id <= id);
  }
}
