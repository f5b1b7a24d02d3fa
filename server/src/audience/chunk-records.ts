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

interface People {
  readonly users: string[];
  /** At most this much in UTF-8. */
  bytes: number;
}

const partChars = 16;
const bytesPerUnit = 3;

/** `record`: the event's, as it came to the log. */
export function chunkRecords(record: Buffer, users: readonly string[], shards: number): PackedBatch {
  const view = new RecordView();
  view.move(record, 0);
  const { tenant } = view;
  const writer = new RecordWriter(record.length * 2);
  const write = (shard: number, recipients: readonly string[]): void => {
    const part = digest(recipients, partChars);
    copyRecord(writer, { view, buffer: record, start: 0 }, { lane: 'bulk', shard, recipients, part, shards });
  };
  const byShard = new Map<number, People>();
  for (const user of users) {
    const shard = shardOf(personKey(tenant, user), shards);
    const bytes = user.length * bytesPerUnit;
    let people = byShard.get(shard);
    if (people !== undefined && people.bytes + bytes > limits.fanoutRecordBytesMax) {
      write(shard, people.users);
      people = undefined;
    }
    if (people === undefined) {
      people = { users: [], bytes: 0 };
      byShard.set(shard, people);
    }
    people.users.push(user);
    people.bytes += bytes;
  }
  for (const [shard, people] of byShard) write(shard, people.users);
  return writer.take();
}
