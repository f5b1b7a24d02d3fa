/** An event as a log record, by the same scanner and writer as intake uses. */
import type { Event } from '@carillon/contract/event.ts';
import { fingerprintOf } from '../../server/src/base/hash.ts';
import { builtInTypes, type TypeEntry } from '../../server/src/content/type-catalogue.ts';
import { EventScanner } from '../../server/src/intake/scan-event.ts';
import { type PackedBatch, RecordWriter } from '../../server/src/log/record.ts';
import { usersOf } from './story.ts';

const scanner = new EventScanner();

export function packEvents(events: readonly Event[], acceptedMs: number, tenant = 'default'): PackedBatch {
  const writer = new RecordWriter();
  for (const event of events) {
    const source = Buffer.from(JSON.stringify(event));
    if (!scanner.scan(source, 0, source.length)) throw new Error(`the scanner does not take ${source}`);
    writer.add({
      lane: (builtInTypes.find(event.type) as TypeEntry).lane,
      shard: 0,
      timeMs: scanner.timeMs,
      acceptedMs,
      seq: event.seq ?? null,
      fingerprint: fingerprintOf(`${tenant}\0${event.source}\0${event.id}`),
      escaped: scanner.escaped,
      tenant,
      recipients: usersOf(event),
      source,
      start: 0,
      end: source.length,
      ranges: scanner.ranges,
    });
  }
  return writer.take();
}
