/**
 * Records cut anew for another number of shards: the same bytes of the event, its recipients divided as intake would
 * divide them, one record for each shard that has some, with the identity it has there. An event to an audience goes to
 * the audience's shard.
 */
import { shardOf } from '../base/hash.ts';
import { audienceKey, personKey } from '../base/ids.ts';
import { audienceOf } from './audience-of.ts';
import { copyRecord } from './copy-record.ts';
import { type PackedBatch, RecordView, RecordWriter } from './record.ts';

export function reshardRecords(batch: PackedBatch, shards: number): PackedBatch {
  const buffer = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength);
  const view = new RecordView();
  const writer = new RecordWriter(buffer.length);
  for (let at = 0; at < buffer.length; ) {
    const start = at;
    at = view.move(buffer, start);
    const { lane, isToAudience: toAudience, part, isAskedForPush: askedForPush } = view;
    for (const [shard, recipients] of byShard(view, shards)) {
      const copy = { lane, shard, recipients, toAudience, askedForPush, shards, ...(part === '' ? {} : { part }) };
      copyRecord(writer, { view, buffer, start }, copy);
    }
  }
  return writer.take();
}

function byShard(view: RecordView, shards: number): Map<number, string[]> {
  const people = new Map<number, string[]>();
  if (view.isToAudience) return people.set(shardOf(audienceKey(view.tenant, audienceOf(view)), shards), []);
  for (const user of view.recipients()) {
    const shard = shardOf(personKey(view.tenant, user), shards);
    people.set(shard, [...(people.get(shard) ?? []), user]);
  }
  return people;
}
