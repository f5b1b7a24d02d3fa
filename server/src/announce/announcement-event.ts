/** The event of an announcement, as it goes to the log: for an audience of its own, which `AnnouncementMembers` resolves. */
import { CarillonError } from '../base/carillon-error.ts';
import { isoTime } from '../base/iso-time.ts';
import type { EventTypes } from '../intake/event-types.ts';
import { RecordBuilder } from '../intake/record-builder.ts';
import { EventScanner } from '../intake/scan-event.ts';
import { canonicalEvent } from '../intake/validate-event.ts';
import { type PackedBatch, RecordWriter } from '../log/record.ts';
import type { Announcement } from './announcement.ts';

/** Kind of the audiences of announcements. */
export const announcementKind = 'announcement';
/** Source of their events. */
const ownSource = 'carillon';

export interface PackingParts {
  readonly types: EventTypes;
  readonly shards: number;
  readonly nowMs: number;
}

/** The same announcement is always the same event. Throws what intake would answer for it. */
export function announcementEvent(
  { id, tenant, content, startedAtMs }: Pick<Announcement, 'id' | 'tenant' | 'content' | 'startedAtMs'>,
  { types, shards, nowMs }: PackingParts,
): PackedBatch {
  const audience = `${announcementKind}:${id}`;
  const time = isoTime(startedAtMs ?? nowMs);
  const bytes = canonicalEvent({ ...content, id, source: ownSource, time, to: { audience } });
  const scanner = new EventScanner();
  if (!scanner.scan(bytes, 0, bytes.length, true)) {
    throw new CarillonError('CARILLON_INTERNAL', 'A valid event could not be packed.');
  }
  const writer = new RecordWriter();
  const sender = { tenant, sources: [ownSource], nowMs, closedLanes: [], unknownAudiences: new Set<string>() };
  new RecordBuilder(types, shards, writer).add(scanner, sender);
  return writer.take();
}
