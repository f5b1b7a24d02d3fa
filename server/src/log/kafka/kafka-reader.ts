/**
 * A reader of one lane of one shard over Kafka. It holds what has been read ahead and knows how far the log reaches;
 * whoever fetches for it (the poll of all that have caught up, or the log for one that is behind) puts it in here.
 *
 *   idle ──begin──▶ a fetch is under way ──end──▶ idle          one at a time, whoever makes it
 *
 * Repeats are left out when records are taken, not when they arrive: by then every lane of the shard has been opened,
 * and what lies before its position is remembered.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { limits } from '../../base/limits.ts';
import type { LogBatch, LogReader, Position } from '../event-log.ts';
import { recordHeaderBytes, recordVersion } from '../record.ts';
import type { FetchedPartition } from './fetch-partitions.ts';
import type { IdentityMemory } from './identity-memory.ts';
import { visitRecords } from './record-batches.ts';
import { RecordChunk } from './record-chunk.ts';

/** A message that is no record of this (shard, lane): it is passed over, and must be counted and shown (N3a). */
export interface UnreadableMessage {
  readonly shard: number;
  readonly lane: Lane;
  readonly position: Position;
  readonly bytes: Uint8Array;
}

export interface ReaderHost {
  /** Fetches for this reader alone. False when nothing can be had now; the host then tries on and tells. */
  fetch(reader: KafkaReader): Promise<boolean>;
  /** The reader has room again. */
  hasRoom(): void;
  unreadable(message: UnreadableMessage): void;
  closed(reader: KafkaReader): void;
}

export interface ReaderPlace {
  readonly shard: number;
  readonly lane: Lane;
  readonly topic: string;
  readonly from: Position;
  /** Behind the newest record. */
  readonly end: Position;
}

export class KafkaReader implements LogReader {
  readonly shard: number;
  readonly lane: Lane;
  readonly topic: string;
  readonly #laneIndex: number;
  readonly #host: ReaderHost;
  readonly #identities: IdentityMemory;
  #chunks: RecordChunk[] = [];
  #bytesAhead = 0;
  #fetchAt: Position;
  #end: Position;
  #recordBytes: number = limits.recordBytesTypical;
  #failure: Error | null = null;
  #isClosed = false;
  #underWay: { promise: Promise<void>; resolve: () => void } | null = null;

  constructor({ shard, lane, topic, from, end }: ReaderPlace, identities: IdentityMemory, host: ReaderHost) {
    this.shard = shard;
    this.lane = lane;
    this.topic = topic;
    this.#laneIndex = lanes.indexOf(lane);
    this.#fetchAt = from;
    this.#end = end;
    this.#identities = identities;
    this.#host = host;
  }

  async pull(bytesMax: number): Promise<LogBatch | null> {
    for (let empty = 0; ; ) {
      const batch = this.#take(bytesMax);
      if (batch !== null) return batch;
      if (this.#failure !== null) throw this.#failure;
      if (this.#fetchAt >= this.#end) return null;
      const before = this.#fetchAt;
      const isReachable = await this.#host.fetch(this);
      if (this.#fetchAt > before) empty = 0;
      else if (this.#failure === null && (!isReachable || ++empty === limits.emptyFetchesMax)) return null;
    }
  }

  behindBytes(): number {
    return this.#bytesAhead + Math.ceil(Math.max(0, this.#end - this.#fetchAt) * this.#recordBytes);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#chunks = [];
    this.#bytesAhead = 0;
    this.#host.closed(this);
  }

  /** Where the next fetch begins. */
  get fetchAt(): Position {
    return this.#fetchAt;
  }

  get canFetch(): boolean {
    return this.#underWay === null && !this.#isClosed && this.#failure === null && this.#hasRoom;
  }

  /** The fetch under way, if any; it never rejects. */
  get underWay(): Promise<void> | null {
    return this.#underWay?.promise ?? null;
  }

  begin(): void {
    this.#underWay = Promise.withResolvers<void>();
  }

  end(): void {
    this.#underWay?.resolve();
    this.#underWay = null;
  }

  /** Takes in what was fetched from `fetchAt`. True when there is something to take that was not before. */
  receive({ records, end }: FetchedPartition): boolean {
    if (this.#isClosed || this.#failure !== null) return false;
    if (end > this.#end) this.#end = end;
    if (records.length === 0) return false;
    const chunk = new RecordChunk(records.length, this.#fetchAt);
    const next = visitRecords(records, this.#fetchAt, (offset, bytes, start, stop) => {
      if (this.#isRecord(bytes, start, stop)) chunk.add(offset, bytes, start, stop);
      else this.#passOver(offset, bytes.subarray(Math.max(0, start), Math.max(0, stop)));
    });
    chunk.end(next);
    const hasMoved = next > this.#fetchAt;
    this.#fetchAt = next;
    if (next > this.#end) this.#end = next;
    if (!hasMoved) return false;
    this.#chunks.push(chunk);
    this.#bytesAhead += chunk.bytesLeft;
    if (chunk.count > 0) this.#recordBytes = chunk.bytesLeft / chunk.count;
    return true;
  }

  /** This process appended up to `end`; `recordBytes`: what one record of that takes. */
  noteEnd(end: Position, recordBytes: number): void {
    if (end <= this.#end) return;
    if (this.#fetchAt >= this.#end) this.#recordBytes = recordBytes;
    this.#end = end;
  }

  /** Goes on from a later position: what lay before it is lost, and somebody chose that. */
  moveTo(position: Position): void {
    this.#fetchAt = position;
    if (position > this.#end) this.#end = position;
  }

  /** What was read ahead can still be taken; then every pull answers this. */
  fail(error: Error): void {
    this.#failure ??= error;
  }

  get #hasRoom(): boolean {
    return this.#bytesAhead < limits.readAheadBytesMax;
  }

  #take(bytesMax: number): LogBatch | null {
    const taken: LogBatch[] = [];
    let bytes = 0;
    let next: Position | null = null;
    const hadRoom = this.#hasRoom;
    while (this.#chunks.length > 0 && (bytes === 0 || bytes < bytesMax)) {
      const chunk = this.#chunks[0] as RecordChunk;
      const before = chunk.bytesLeft;
      const batch = chunk.take(bytesMax - bytes, this.#isRepeat);
      this.#bytesAhead -= before - chunk.bytesLeft;
      next = chunk.position;
      if (chunk.bytesLeft === 0) this.#chunks.shift();
      if (batch === null) continue;
      taken.push(batch);
      bytes += batch.bytes.length;
    }
    this.#readAhead(hadRoom);
    return next === null ? null : joined(taken, bytes, next);
  }

  /** So that the next pull need not wait: while one micro-batch is applied, the next is fetched. */
  #readAhead(hadRoom: boolean): void {
    const isLow = this.#bytesAhead < limits.readAheadBytesMax / 2;
    if (isLow && this.#fetchAt < this.#end && this.canFetch) void this.#host.fetch(this);
    else if (!hadRoom && this.#hasRoom) this.#host.hasRoom();
  }

  readonly #isRepeat = (bytes: Buffer, at: number, offset: number): boolean => {
    const place = placeOf(offset, this.#laneIndex);
    return this.#identities.firstPlace(bytes, at, place) !== place;
  };

  #isRecord(bytes: Buffer, start: number, end: number): boolean {
    return (
      start >= 0 &&
      end - start >= recordHeaderBytes &&
      bytes.readUInt32LE(start) === end - start &&
      bytes[start + 4] === recordVersion &&
      bytes[start + 5] === this.#laneIndex &&
      bytes.readUInt16LE(start + 6) === this.shard
    );
  }

  #passOver(position: Position, bytes: Buffer): void {
    this.#host.unreadable({ shard: this.shard, lane: this.lane, position, bytes: Buffer.from(bytes) });
  }
}

/** One number for a record of a shard: its offset and lane. */
export function placeOf(offset: number, laneIndex: number): number {
  return offset * lanes.length + laneIndex;
}

/** Nothing but what was passed over, too: the position moves on, or it would count as behind until more comes. */
function joined(batches: readonly LogBatch[], length: number, next: Position): LogBatch {
  const [first] = batches;
  if (first !== undefined && batches.length === 1) return { ...first, next };
  const count = batches.reduce((sum, batch) => sum + batch.count, 0);
  const parts = batches.map(({ bytes }) => bytes);
  return { bytes: Buffer.concat(parts, length), count, next };
}
