/** One event as intake would pack it, for asking what would happen (D12): validated alike, and stored nowhere. */
import { CarillonError } from '../base/carillon-error.ts';
import { RecordWriter } from '../log/record.ts';
import type { EventTypes } from './event-types.ts';
import { RecordBuilder } from './record-builder.ts';
import { EventScanner } from './scan-event.ts';
import { canonicalEvent, invalidEvent } from './validate-event.ts';

/** Throws what intake would answer for the event; an event for an audience is refused. */
export function packEvent(
  event: unknown,
  { types, tenant, nowMs }: { types: EventTypes; tenant: string; nowMs: number },
): Uint8Array {
  const bytes = canonicalEvent(event);
  if ('audience' in (event as { to: object }).to) {
    throw invalidEvent([{ path: '/to/audience', detail: 'Name people: what each member would be told differs.' }]);
  }
  const scanner = new EventScanner();
  if (!scanner.scan(bytes, 0, bytes.length, true)) {
    throw new CarillonError('CARILLON_INTERNAL', 'A valid event could not be packed.');
  }
  const writer = new RecordWriter();
  const sender = { tenant, sources: ['*'], nowMs, closedLanes: [], unknownAudiences: new Set<string>() };
  new RecordBuilder(types, 1, writer).add(scanner, sender);
  return writer.take().bytes;
}
