/** An announcement as the API shows it: a broadcast. */
import type { BroadcastView } from '@carillon/contract/broadcasts.ts';
import type { Announcement } from '../announce/announcement.ts';
import { isoTime } from '../base/iso-time.ts';

export function broadcastView(announcement: Announcement): BroadcastView {
  const { id, name, content, to, status, startAtMs, startedAtMs, recipients, history } = announcement;
  return {
    id,
    name,
    content,
    to,
    status,
    startAt: startAtMs === null ? null : isoTime(startAtMs),
    startedAt: startedAtMs === null ? null : isoTime(startedAtMs),
    recipients,
    history: history.map(({ action, atMs, by }) => ({ action, at: isoTime(atMs), by })),
  };
}
