/**
 * A chunk of an audience as records of the log: one for each shard that has some of its people, in the bulk lane (F4).
 *
 * A record is named by the people it holds. So a chunk that is written again, since the progress behind it was lost, is a
 * repeat that the log drops; and if people came or went in between it is another record, of which whoever was in the
 * first hears nothing new, since an event has its effect once on each inbox.
 */
import { digest, shardOf } from '../base/hash.ts';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { copyRecord } from '../log/copy-record.ts';
import { type PackedBatch, RecordView, RecordWriter } from '../log/record.ts';
import type { Member } from './audience-source.ts';

interface People {
  readonly shard: number;
  readonly askedForPush: boolean;
  readonly users: string[];
  /** At most this much in UTF-8. */
  bytes: number;
}

const partChars = 16;
const bytesPerUnit = 3;

/**
 * `record`: the event's, as it came to the log. Whoever asked to be pushed is in records that say so. `merged`: see
 * `RecordInput`.
 */
export function chunkRecords(record: Buffer, members: readonly Member[], shards: number, merged = false): PackedBatch {
  const view = new RecordView();
  view.move(record, 0);
  const { tenant } = view;
  const writer = new RecordWriter(record.length * 2);
  const write = ({ shard, askedForPush, users: recipients }: People): void => {
    const part = digest(recipients, partChars);
    const copy = { lane: 'bulk', shard, recipients, part, askedForPush, merged, shards } as const;
    copyRecord(writer, { view, buffer: record, start: 0 }, copy);
  };
  // By shard; those who asked under numbers of their own.
  const groups = new Map<number, People>();
  for (const { user, notify: askedForPush } of members) {
    const shard = shardOf(personKey(tenant, user), shards);
    const group = askedForPush ? shards + shard : shard;
    const bytes = user.length * bytesPerUnit;
    let people = groups.get(group);
    if (people !== undefined && people.bytes + bytes > limits.fanoutRecordBytesMax) {
      write(people);
      people = undefined;
    }
    if (people === undefined) {
      people = { shard, askedForPush, users: [], bytes: 0 };
      groups.set(group, people);
    }
    people.users.push(user);
    people.bytes += bytes;
  }
  for (const people of groups.values()) write(people);
  return writer.take();
}
