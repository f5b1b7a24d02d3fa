/**
 * Records cut anew for another number of shards: the same bytes of the event, its recipients divided as intake would
 * divide them, one record for each shard that has some, with the identity it has there.
 */
import { fingerprint, shardOf } from '../base/hash.ts';
import { personKey } from '../base/ids.ts';
import { type PackedBatch, RecordView, RecordWriter, recordFields, recordHeaderBytes } from './record.ts';

const rangesAt = 48;
const flagsAt = 8;
const eventBytesAt = 12;

export function reshardRecords(batch: PackedBatch, shards: number): PackedBatch {
  const buffer = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength);
  const view = new RecordView();
  const writer = new RecordWriter(buffer.length);
  for (let at = 0; at < buffer.length; ) {
    const start = at;
    at = view.move(buffer, start);
    for (const [shard, recipients] of byShard(view, shards)) {
      writer.add({
        lane: view.lane,
        shard,
        timeMs: view.timeMs,
        acceptedMs: view.acceptedMs,
        seq: view.seq,
        fingerprint: identityIn(view, shards === 1 ? 0 : shard + 1),
        escaped: buffer.readUInt16LE(start + flagsAt) !== 0,
        tenant: view.tenant,
        recipients,
        source: buffer,
        start: start + recordHeaderBytes,
        end: start + recordHeaderBytes + buffer.readUInt32LE(start + eventBytesAt),
        ranges: rangesOf(buffer, start),
      });
    }
  }
  return writer.take();
}

function byShard(view: RecordView, shards: number): Map<number, string[]> {
  const people = new Map<number, string[]>();
  for (const user of view.recipients()) {
    const shard = shardOf(personKey(view.tenant, user), shards);
    people.set(shard, [...(people.get(shard) ?? []), user]);
  }
  return people;
}

/** As intake makes it. */
function identityIn(view: RecordView, seed: number): number {
  const identity = Buffer.from([view.tenant, view.text('source'), view.text('id')].join('\0'));
  return fingerprint(identity, 0, identity.length, seed);
}

function rangesOf(buffer: Buffer, start: number): number[] {
  return Array.from({ length: recordFields.length * 2 }, (_, word) => buffer.readUInt16LE(start + rangesAt + word * 2));
}
