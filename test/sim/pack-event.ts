/** An event as a log record, by the same scanner and writer as intake uses. */
import type { Event } from '@carillon/contract/event.ts';
import { fingerprintOf, shardOf } from '../../server/src/base/hash.ts';
import { personKey } from '../../server/src/base/ids.ts';
import { builtInTypes, type TypeEntry } from '../../server/src/content/type-catalogue.ts';
import { EventScanner } from '../../server/src/intake/scan-event.ts';
import { type PackedBatch, RecordWriter } from '../../server/src/log/record.ts';
import { usersOf } from './story.ts';

const scanner = new EventScanner();

/** All people of one event must be of one shard. */
export function packEvents(
  events: readonly Event[],
  acceptedMs: number,
  { tenant = 'default', shards = 1 }: { tenant?: string; shards?: number } = {},
): PackedBatch {
  const writer = new RecordWriter();
  for (const event of events) {
    const source = Buffer.from(JSON.stringify(event));
    if (!scanner.scan(source, 0, source.length)) throw new Error(`the scanner does not take ${source}`);
    writer.add({
      lane: (builtInTypes.find(event.type) as TypeEntry).lane,
      shard: shardOf(personKey(tenant, usersOf(event)[0] ?? ''), shards),
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
