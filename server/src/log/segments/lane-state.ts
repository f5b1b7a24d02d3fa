/**
 * What is known of one (shard, lane): where its records end, how many bytes they are, and its share of the tail, the
 * newest blocks kept in memory. The tail is complete from `tailFrom` on: a reader at or behind it needs no file.
 */
import { type LaneKey, laneKey } from './lane-key.ts';
import type { LaneEnd } from './segment-header.ts';

/** The records of one block and the positions they take. */
export interface RecordBlock {
  readonly start: number;
  readonly end: number;
  readonly records: Buffer;
  readonly count: number;
}

export class LaneState implements LaneEnd {
  end: number;
  bytes: number;
  tailFrom: number;
  #blocks: RecordBlock[] = [];
  #head = 0;

  constructor(known: LaneEnd = { end: 0, bytes: 0 }) {
    this.end = known.end;
    this.bytes = known.bytes;
    this.tailFrom = known.end;
  }

  /** Counts records that are in a file only. */
  advance(end: number, bytes: number): void {
    this.end = end;
    this.bytes += bytes;
    this.tailFrom = end;
  }

  add(block: RecordBlock): void {
    this.#blocks.push(block);
    this.end = block.end;
    this.bytes += block.records.length;
  }

  /** Lets go of the oldest block of the tail; answers its bytes. */
  evict(): number {
    const block = this.#blocks[this.#head++] as RecordBlock;
    this.tailFrom = block.end;
    if (this.#head > 64 && this.#head * 2 > this.#blocks.length) {
      this.#blocks = this.#blocks.slice(this.#head);
      this.#head = 0;
    } else {
      // Readers may still hold the block; the tail must not.
      this.#blocks[this.#head - 1] = { ...block, records: Buffer.alloc(0) };
    }
    return block.records.length;
  }

  /** The block of the tail that holds the position, or the first one behind it. */
  blockAt(position: number): RecordBlock | null {
    let low = this.#head;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle] as RecordBlock).end <= position) low = middle + 1;
      else high = middle;
    }
    return this.#blocks[low] ?? null;
  }

  /** Bytes of records in the tail behind a position. */
  tailBytesBehind(position: number): number {
    let bytes = 0;
    for (let at = this.#head; at < this.#blocks.length; at++) {
      const block = this.#blocks[at] as RecordBlock;
      if (block.end > position) bytes += block.end - Math.max(position, block.start);
    }
    return bytes;
  }
}

export class LaneStates {
  readonly #lanes = new Map<LaneKey, LaneState>();
  readonly #order: LaneState[] = [];
  #orderHead = 0;
  #tailBytes = 0;
  readonly #tailBytesMax: number;

  constructor(tailBytesMax: number) {
    this.#tailBytesMax = tailBytesMax;
  }

  of(shard: number, lane: number): LaneState {
    return this.get(laneKey(shard, lane));
  }

  get(key: LaneKey): LaneState {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new LaneState();
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  restore(before: ReadonlyMap<LaneKey, LaneEnd>): void {
    for (const [key, known] of before) this.#lanes.set(key, new LaneState(known));
  }

  /** The lanes that have or had records. */
  keys(): LaneKey[] {
    return [...this.#lanes.entries()].filter(([, lane]) => lane.bytes > 0).map(([key]) => key);
  }

  ends(): Map<LaneKey, LaneEnd> {
    const ends = new Map<LaneKey, LaneEnd>();
    for (const [key, lane] of this.#lanes) {
      if (lane.bytes > 0) ends.set(key, { end: lane.end, bytes: lane.bytes });
    }
    return ends;
  }

  /** Adds a committed block and lets the oldest of the tail go, over all lanes, once there is too much. */
  add(key: LaneKey, block: RecordBlock): void {
    const lane = this.get(key);
    lane.add(block);
    this.#order.push(lane);
    this.#tailBytes += block.records.length;
    while (this.#tailBytes > this.#tailBytesMax) this.#evictOldest();
  }

  #evictOldest(): void {
    const lane = this.#order[this.#orderHead++] as LaneState;
    this.#tailBytes -= lane.evict();
    if (this.#orderHead > 1024 && this.#orderHead * 2 > this.#order.length) {
      this.#order.splice(0, this.#orderHead);
      this.#orderHead = 0;
    }
  }
}
