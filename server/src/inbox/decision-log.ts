/** What was decided on a person's events lately, newest first: of rows that they opened, and of those that left none (D12). */

import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { decodeDropped } from './dropped-event.ts';
import type { LoggedDecision } from './inbox-service.ts';
import type { InboxStore } from './inbox-store.ts';
import { idTimeMs } from './notification-id.ts';

/** `eventId`: of this event alone; null: of all. */
export async function decisionLog(
  store: InboxStore,
  person: PersonKey,
  eventId: string | null,
): Promise<LoggedDecision[]> {
  const [{ items }, texts] = await Promise.all([store.head(person, limits.changesMax), store.dropped(person)]);
  const ofRows = items.map(({ id, openedBy, type, decisions }) => ({
    ...{ ...openedBy, type, timeMs: idTimeMs(id) },
    ...{ notification: id, decisions },
  }));
  const dropped = texts.map(decodeDropped).map(({ source, id, type, timeMs, reason }) => ({
    ...{ source, id, type, timeMs },
    ...{ notification: null, decisions: [{ channel: 'inApp', kind: 'skip', reason }] as const },
  }));
  // An event that was decided again after a crash may lie in two slots.
  const byEvent = new Map([...dropped, ...ofRows].map((each) => [JSON.stringify([each.source, each.id]), each]));
  return [...byEvent.values()]
    .filter(({ id }) => eventId === null || id === eventId)
    .sort((a, b) => b.timeMs - a.timeMs);
}
