/** Which former places a write leaves behind, the same for every store. */
import type { FormerPlace, Item, Place } from './item.ts';

/**
 * What now stands at the place that `item` has moved from: one span for readers of older snapshots, even where the row
 * stood at that time under several revisions. Null if nobody can look for it there: no entry names the place.
 */
export function formerAt(item: Item, movedFrom: Place): FormerPlace | null {
  let from = Number.POSITIVE_INFINITY;
  let until = 0;
  for (const place of item.formerPlaces) {
    if (place.activityAtMs !== movedFrom.activityAtMs) continue;
    from = Math.min(from, place.from);
    until = Math.max(until, place.until);
  }
  return until === 0 ? null : { activityAtMs: movedFrom.activityAtMs, from, until };
}

/** Dropped places whose row may go: not where the item stands, nor where a kept entry still needs one. */
export function clearedPlaces(item: Item, dropped: readonly FormerPlace[]): number[] {
  return dropped
    .map((place) => place.activityAtMs)
    .filter((time) => time !== item.activityAtMs && !item.formerPlaces.some((kept) => kept.activityAtMs === time));
}
