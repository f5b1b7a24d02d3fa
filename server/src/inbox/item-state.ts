/**
 * What a person's marks say of one item (I3). Pure, and free of allocation except for `itemState` itself,
 * since the executor asks for up to 200 items whenever something arrives.
 */
import type { NotificationState } from '@carillon/contract/notification.ts';
import { type ChannelDecision, channels } from '@carillon/contract/reasons.ts';
import { isoTime } from '../base/iso-time.ts';
import { isFilteredKey } from './filtered-key.ts';
import type { Item, ItemMark, ItemObject, Marks } from './item.ts';

/** Of a row with somebody in it. */
export function liveState(groupKey: string): Item['state'] {
  return isFilteredKey(groupKey) ? 'filtered' : 'live';
}

/** Of a row that the person may no longer see (BC-64). */
export const accessLost: readonly ChannelDecision[] = channels.map((channel) => ({
  channel,
  kind: 'skip',
  reason: 'accessLost',
}));

export function isAccessLost({ state, decisions }: Pick<Item, 'state' | 'decisions'>): boolean {
  return state === 'removed' && decisions.some(({ reason }) => reason === 'accessLost');
}

/** What the row is about, without what it says: so it cannot be shown by any later mistake. */
export function withoutWords({ kind, id, parent }: ItemObject): ItemObject {
  const bare = parent === null ? null : { kind: parent.kind, id: parent.id, title: null, url: null };
  return { kind, id, title: null, url: null, image: null, parent: bare };
}

export function isRead(item: Item, mark: ItemMark | undefined, marks: Marks): boolean {
  const own = mark?.read;
  if (own?.value === true) return true;
  if (item.activityRevision > marks.readThrough) return false;
  // An explicit "unread" holds until everything is marked read again.
  return own === undefined || own.version <= marks.readThroughVersion;
}

export function isSeen(item: Item, mark: ItemMark | undefined, marks: Marks): boolean {
  return mark?.seen?.value === true || item.activityRevision <= marks.seenThrough || isRead(item, mark, marks);
}

export function isArchived(mark: ItemMark | undefined): boolean {
  return mark?.archived?.value === true;
}

export function isSnoozed(mark: ItemMark | undefined, nowMs: number): boolean {
  return (mark?.snoozedUntilMs?.value ?? 0) > nowMs;
}

/** In the default list, and so in the counts: live, not archived, not snoozed. */
export function isListed(item: Item, marks: Marks, nowMs: number): boolean {
  if (item.state !== 'live') return false;
  const mark = marks.items.get(item.id);
  return !isArchived(mark) && !isSnoozed(mark, nowMs);
}

export function itemState(item: Item, marks: Marks, nowMs: number): NotificationState {
  const mark = marks.items.get(item.id);
  const snoozedUntilMs = mark?.snoozedUntilMs?.value ?? 0;
  return {
    seen: isSeen(item, mark, marks),
    read: isRead(item, mark, marks),
    archived: isArchived(mark),
    snoozedUntil: snoozedUntilMs > nowMs ? isoTime(snoozedUntilMs) : null,
  };
}

/** When the next snoozed row comes back; infinite if none is snoozed. */
export function nextSnoozeEnd(marks: Marks, nowMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const mark of marks.items.values()) {
    const untilMs = mark.snoozedUntilMs?.value ?? 0;
    if (untilMs > nowMs && untilMs < nextMs) nextMs = untilMs;
  }
  return nextMs;
}
