/** What a person's rows remember of access that was lost or given (BC-64): the latest time of each. */
import { accessNoted } from '../decide/keys.ts';
import { type AccessTimes, always } from '../decide/recipient-facts.ts';

export function noteAccess(
  known: Map<string, AccessTimes> | null,
  groupKey: string,
  timeMs: number,
): Map<string, AccessTimes> | null {
  const noted = accessNoted(groupKey);
  if (noted === null) return known;
  const times = known ?? new Map<string, AccessTimes>();
  const { lostMs, grantedMs } = times.get(noted.thing) ?? always;
  const now = noted.isLost
    ? { lostMs: Math.max(lostMs, timeMs), grantedMs }
    : { lostMs, grantedMs: Math.max(grantedMs, timeMs) };
  return times.set(noted.thing, now);
}
