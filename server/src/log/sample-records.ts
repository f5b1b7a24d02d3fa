/** Builds packed records for tests and measurements, as intake would, from the few things a test cares about. */
import type { Lane } from '@carillon/contract/lanes.ts';
import { fingerprintOf } from '../base/hash.ts';
import { type PackedBatch, RecordView, RecordWriter, recordFields } from './record.ts';

export interface SampleRecord {
  readonly id: string;
  readonly source?: string;
  readonly tenant?: string;
  readonly lane?: Lane;
  readonly shard?: number;
  readonly acceptedMs?: number;
  readonly recipients?: readonly string[];
  readonly part?: string;
  /** Given to forge a collision; else the real one. */
  readonly fingerprint?: number;
  /** Characters of filler in the event's `data`. */
  readonly fillerChars?: number;
}

export function sampleBatch(records: readonly SampleRecord[]): PackedBatch {
  const writer = new RecordWriter();
  for (const record of records) addSample(writer, record);
  return writer.take();
}

function addSample(writer: RecordWriter, record: SampleRecord): void {
  const { id, source = 'posts', tenant = 'default', acceptedMs = 1_000 } = record;
  const parts = { source, id, type: 'post.liked', data: { filler: 'x'.repeat(record.fillerChars ?? 0) } };
  const event = Buffer.from(JSON.stringify(parts));
  const ranges = new Array<number>(recordFields.length * 2).fill(0);
  let at = 1;
  for (const [name, value] of Object.entries(parts)) {
    const field = recordFields.indexOf(name as keyof typeof parts);
    const text = Buffer.byteLength(JSON.stringify(value));
    const quote = typeof value === 'string' ? 1 : 0;
    at += name.length + 3;
    ranges[field * 2] = at + quote;
    ranges[field * 2 + 1] = text - quote * 2;
    at += text + 1;
  }
  writer.add({
    lane: record.lane ?? 'social',
    shard: record.shard ?? 0,
    timeMs: acceptedMs,
    acceptedMs,
    seq: null,
    fingerprint: record.fingerprint ?? fingerprintOf(JSON.stringify([tenant, source, id, record.part])),
    escaped: true,
    tenant,
    recipients: record.recipients ?? ['r1'],
    ...(record.part === undefined ? {} : { part: record.part }),
    source: event,
    start: 0,
    end: event.length,
    ranges,
  });
}

/** The ids of a batch's records, in order; every byte of the batch must belong to one. */
export function idsOf(batch: PackedBatch): string[] {
  const buffer = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength);
  const view = new RecordView();
  const ids: string[] = [];
  for (let at = 0; at < buffer.length; ) {
    at = view.move(buffer, at);
    ids.push(view.text('id'));
  }
  return ids;
}
