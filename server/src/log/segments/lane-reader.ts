/**
 * A reader of one lane of one shard. While it keeps up it is given the committed bytes from memory, without a copy where
 * one block is enough; when it has fallen behind the tail it reads the segment files block by block until it is back.
 * Damage stops it: it answers the same error each time and never steps over what it could not read.
 */
import type { LogBatch, LogReader } from '../event-log.ts';
import { recordsEnd, recordsStart } from './block.ts';
import { type LaneKey, splitLaneKey } from './lane-key.ts';
import type { LaneState, RecordBlock } from './lane-state.ts';
import { segmentName } from './segment-header.ts';
import { SegmentScanner } from './segment-scanner.ts';
import { firstBlock, type Segment, type SegmentStore } from './segment-store.ts';
import { damaged, positionGone, positionUnknown, storageError } from './storage-error.ts';

export interface ReaderSource {
  readonly store: SegmentStore;
  readonly lane: LaneState;
  readonly key: LaneKey;
}

export class LaneReader implements LogReader {
  readonly #source: ReaderSource;
  #position: number;
  /** Bytes of all the lane's records before `#position`. */
  #consumed = 0;
  /** A block read from a file and not used up. */
  #block: RecordBlock | null = null;
  #scanner: SegmentScanner | null = null;
  #segment: Segment | null = null;

  /** Throws when `from` is no longer kept, or is no place between two records. */
  constructor(source: ReaderSource, from: number) {
    this.#source = source;
    this.#position = from;
    this.#place();
  }

  async pull(bytesMax: number): Promise<LogBatch | null> {
    try {
      return this.#pull(bytesMax);
    } catch (error) {
      throw storageError(error);
    }
  }

  behindBytes(): number {
    return this.#source.lane.bytes - this.#consumed;
  }

  close(): void {
    this.#block = null;
    this.#scanner = null;
    this.#segment = null;
  }

  #pull(bytesMax: number): LogBatch | null {
    const first = this.#nextBlock();
    if (first === null) return null;
    const batch = cut(first, this.#position, bytesMax);
    this.#moveTo(batch.next, batch.bytes.length);
    return batch.next < first.end ? batch : this.#gather(batch, bytesMax);
  }

  /** Adds further whole blocks while they fit. */
  #gather(first: LogBatch, bytesMax: number): LogBatch {
    const parts = [first.bytes];
    let bytes = first.bytes.length;
    let count = first.count;
    for (let block = this.#nextGathered(); block !== null; block = this.#nextGathered()) {
      if (bytes + block.records.length > bytesMax) break;
      parts.push(block.records);
      bytes += block.records.length;
      count += block.count;
      this.#moveTo(block.end, block.records.length);
    }
    if (parts.length === 1) return first;
    return { bytes: Buffer.concat(parts, bytes), count, next: this.#position };
  }

  /** Damage behind good records is told by the next pull, so that these are not held back. */
  #nextGathered(): RecordBlock | null {
    try {
      return this.#nextBlock();
    } catch {
      return null;
    }
  }

  #moveTo(position: number, bytes: number): void {
    this.#position = position;
    this.#consumed += bytes;
    if (this.#block !== null && this.#block.end <= position) this.#block = null;
  }

  /** The block that holds the position, or the next one; null when there is none yet. */
  #nextBlock(): RecordBlock | null {
    if (this.#block !== null) return this.#block;
    const { lane } = this.#source;
    if (this.#position >= lane.end) return null;
    if (this.#position >= lane.tailFrom) {
      this.#scanner = null;
      this.#segment = null;
      return lane.blockAt(this.#position);
    }
    this.#block = this.#readBlock();
    return this.#block;
  }

  #readBlock(): RecordBlock {
    this.#refuseGone();
    for (;;) {
      const { scanner, segment } = this.#scan();
      const header = scanner.peek(segment.end);
      if (header === 'end') {
        this.#scanner = null;
        this.#segment = this.#segmentAfter(segment);
        continue;
      }
      if (header === 'damaged') throw damaged(segmentName(segment.header.base), scanner.position);
      if (recordsEnd(header) > this.#position && this.#isMine(header)) {
        const records = scanner.records(header);
        if (records === null) throw damaged(segmentName(segment.header.base), header.position);
        scanner.skip(header);
        return { start: recordsStart(header), end: recordsEnd(header), records, count: header.count };
      }
      scanner.skip(header);
    }
  }

  #scan(): { scanner: SegmentScanner; segment: Segment } {
    const { store } = this.#source;
    const isTrimmed = this.#segment !== null && this.#segment.end <= (store.segments[0] as Segment).header.base;
    if (isTrimmed) {
      this.#segment = null;
      this.#scanner = null;
    }
    this.#segment ??= store.segmentAt(this.#position) as Segment;
    const segment = this.#segment;
    this.#scanner ??= new SegmentScanner(store.fileOf(segment), segment.header.base, firstBlock(segment));
    return { scanner: this.#scanner, segment };
  }

  #segmentAfter(segment: Segment): Segment {
    const next = this.#source.store.segmentAt(segment.end);
    if (next === undefined) throw damaged(segmentName(segment.header.base), segment.end);
    return next;
  }

  #isMine(header: { shard: number; lane: number }): boolean {
    const { shard, lane } = splitLaneKey(this.#source.key);
    return header.shard === shard && header.lane === lane;
  }

  #refuseGone(): void {
    const oldest = this.#source.store.segments[0];
    const gone = oldest?.header.before.get(this.#source.key);
    if (oldest !== undefined && gone !== undefined && this.#position < gone.end) {
      throw positionGone(this.#position, oldest.header.base);
    }
  }

  /** Checks the position the reader was opened with, and counts what lies before it. */
  #place(): void {
    const { store, lane, key } = this.#source;
    const oldest = store.segments[0];
    const from = this.#position;
    if (from === 0 && oldest !== undefined) this.#position = oldest.header.base;
    if (!Number.isSafeInteger(from) || from < 0) throw positionUnknown(from, 'it is not a whole number');
    if (from > store.end) throw positionUnknown(from, `the log ends at ${store.end}`);
    this.#refuseGone();
    if (from >= lane.end) this.#consumed = lane.bytes;
    else if (this.#position >= lane.tailFrom) this.#countFromTail(lane);
    else this.#countFromFile(store, key);
  }

  #countFromTail(lane: LaneState): void {
    this.#consumed = lane.bytes - lane.tailBytesBehind(this.#position);
    const block = lane.blockAt(this.#position);
    if (block !== null) this.#offsetWithin(block.records, block.start);
  }

  #countFromFile(store: SegmentStore, key: LaneKey): void {
    const segment = store.segmentAt(this.#position) as Segment;
    this.#consumed = segment.header.before.get(key)?.bytes ?? 0;
    const { scanner } = this.#scan();
    for (;;) {
      const header = scanner.peek(segment.end);
      // Damage up to here hides how much was before; the lag then reads high, and the pull will tell.
      if (header === 'end' || header === 'damaged') return;
      if (recordsEnd(header) > this.#position) {
        const records = this.#isMine(header) ? scanner.records(header) : null;
        if (records !== null) this.#consumed += this.#offsetWithin(records, recordsStart(header));
        return;
      }
      if (this.#isMine(header)) this.#consumed += header.bytes;
      scanner.skip(header);
    }
  }

  /** How far into a block's records the position is. */
  #offsetWithin(records: Buffer, start: number): number {
    let at = 0;
    while (at < this.#position - start) at += records.readUInt32LE(at);
    if (at > Math.max(0, this.#position - start)) throw positionUnknown(this.#position, 'it lies within a record');
    return at;
  }
}

/** The records of a block from a position on: all, or as many whole ones as fit, at least one. */
function cut(block: RecordBlock, position: number, bytesMax: number): LogBatch {
  const from = Math.max(0, position - block.start);
  const { records } = block;
  if (from === 0 && records.length <= bytesMax) return { bytes: records, count: block.count, next: block.end };
  let to = from;
  let count = 0;
  while (to < records.length) {
    const next = to + records.readUInt32LE(to);
    if (next - from > bytesMax && count > 0) break;
    to = next;
    count++;
  }
  return { bytes: records.subarray(from, to), count, next: block.start + to };
}
