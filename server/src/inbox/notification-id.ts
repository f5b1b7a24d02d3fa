/**
 * Ids of notifications: `n_`, nine characters of event time, fifteen of hash.
 *
 * The same work always gives the same id (I1), and the time in it says where the row stands without an index: exactly
 * there if it never moved, at most `limits.groupSpanMs` later if it is a group that grew.
 */
import { digest } from '../base/hash.ts';
import type { NotificationId } from '../base/ids.ts';

const idVersion = '1';
const timeChars = 9;
const hashChars = 15;
const prefix = 'n_';

/** The greatest time that nine base-36 digits hold: the year 5188. */
export const timeMsMax = 36 ** timeChars - 1;

/** The event that opens the row. `timeMs` is its event time, in ms since 1970. */
export interface OpeningEvent {
  readonly tenant: string;
  readonly user: string;
  readonly type: string;
  readonly source: string;
  readonly eventId: string;
  readonly timeMs: number;
}

export function notificationId(event: OpeningEvent): NotificationId {
  const hash = digest([event.tenant, event.user, event.type, event.source, event.eventId, idVersion], hashChars);
  return `${prefix}${sortableTime(event.timeMs)}${hash}` as NotificationId;
}

/** The event time in an id; 0 for text that is no id of ours, so that a look-up simply finds nothing. */
export function idTimeMs(id: string): number {
  if (!/^n_[0-9a-z]{9}/.test(id)) return 0;
  return Number.parseInt(id.slice(prefix.length, prefix.length + timeChars), 36);
}

/** Nine characters that sort as the times do. Times before 1970, or absurd ones, are moved to the nearest end. */
export function sortableTime(timeMs: number): string {
  // Events come in order of time, many in one second: the last answer is often the next.
  if (timeMs !== lastTimeMs) {
    lastTimeMs = timeMs;
    lastText = storedTimeMs(timeMs).toString(36).padStart(timeChars, '0');
  }
  return lastText;
}

let lastTimeMs = Number.NaN;
let lastText = '';

/** A time as ids and places hold it: whole, and within their range. */
export function storedTimeMs(timeMs: number): number {
  return Math.min(timeMsMax, Math.max(0, Math.floor(timeMs)));
}
