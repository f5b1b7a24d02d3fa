/** Writes a record once more for other people: the same bytes of the event, with the identity that it has for them. */
import { fingerprint } from '../base/hash.ts';
import { type RecordInput, type RecordView, type RecordWriter, recordFields, recordHeaderBytes } from './record.ts';

const rangesAt = 48;
const eventBytesAt = 12;

/** The record whose bytes begin at `start` of `buffer`, with a view on it. */
export interface PlacedRecord {
  readonly view: RecordView;
  readonly buffer: Buffer;
  readonly start: number;
}

/** What differs from the record copied. `shards`: how many there are, on which identities depend. */
export interface RecordCopy
  extends Pick<RecordInput, 'lane' | 'shard' | 'recipients' | 'toAudience' | 'part' | 'askedForPush' | 'merged'> {
  readonly shards: number;
}

export function copyRecord(writer: RecordWriter, { view, buffer, start }: PlacedRecord, copy: RecordCopy): void {
  const { shards, ...differing } = copy;
  writer.add({
    timeMs: view.timeMs,
    acceptedMs: view.acceptedMs,
    seq: view.seq,
    fingerprint: identityIn(view, copy.part, shards === 1 ? 0 : copy.shard + 1),
    escaped: view.isEscaped,
    tenant: view.tenant,
    source: buffer,
    start: start + recordHeaderBytes,
    end: start + recordHeaderBytes + buffer.readUInt32LE(start + eventBytesAt),
    ranges: Array.from({ length: recordFields.length * 2 }, (_, word) =>
      buffer.readUInt16LE(start + rangesAt + word * 2),
    ),
    ...differing,
  });
}

/** As intake makes it; of a part, with the part behind. */
function identityIn(view: RecordView, part: string | undefined, seed: number): number {
  const names = [view.tenant, view.text('source'), view.text('id')];
  const identity = Buffer.from((part === undefined ? names : [...names, part]).join('\0'));
  return fingerprint(identity, 0, identity.length, seed);
}
