/**
 * The order of the list as text: newest activity first, then id ascending. Both stores sort by these keys, so they
 * cannot disagree about equal times or times outside the range.
 */
import type { Place } from './item.ts';
import { sortableTime, storedTimeMs, timeMsMax } from './notification-id.ts';

const timeChars = 9;

export function placeKey(place: Place): string {
  return newestFirst(place.activityAtMs) + place.id;
}

/** Prefix of the keys of all places at this time; sorts before each of them and behind all that are newer. */
export function newestFirst(activityAtMs: number): string {
  if (activityAtMs !== lastTimeMs) {
    lastTimeMs = activityAtMs;
    lastText = sortableTime(timeMsMax - storedTimeMs(activityAtMs));
  }
  return lastText;
}

let lastTimeMs = Number.NaN;
let lastText = '';

export function placeOfKey(key: string): Place {
  const activityAtMs = timeMsMax - Number.parseInt(key.slice(0, timeChars), 36);
  return { activityAtMs, id: key.slice(timeChars) as Place['id'] };
}
