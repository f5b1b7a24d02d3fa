/**
 * Gathers waiting batches into one commit: leaves out duplicates, sorts the rest into one block per (shard, lane), and
 * lays the blocks out in one buffer, so that a commit is one write. Every record staged has its fingerprint in the
 * table at once, so two of the same event in one commit find each other; `undo` takes the entries back when the commit
 * fails. Arrays are kept from commit to commit: the hot path allocates the commit's buffer and little else.
 */
import { crc32 } from 'node:zlib';
import type { AppendStatus } from '../event-log.ts';
import { blockBytes, blockHeaderBytes, writeBlockHeader } from './block.ts';
import type { Identity, ReadRecord } from './identity.ts';
import { type LaneKey, laneKey, splitLaneKey } from './lane-key.ts';
import type { RecordBlock } from './lane-state.ts';

/** A batch on its way into the log. */
export interface WaitingBatch {
  readonly buffer: Buffer;
  readonly view: DataView;
  readonly statuses: AppendStatus[];
  /** Where the next record to commit begins, and its number. */
  offset: number;
  index: number;
}

export interface Commit {
  /** What to write; empty when all were duplicates. */
  readonly bytes: Buffer;
  readonly blocks: readonly { readonly key: LaneKey; readonly block: RecordBlock }[];
  readonly acceptedMaxMs: number;
}

/** The records of one (shard, lane) in the commit being built. */
class BlockPlan {
  readonly key: LaneKey;
  bytes = 0;
  count = 0;
  acceptedMinMs = Number.POSITIVE_INFINITY;
  acceptedMaxMs = 0;
  /** Offset of the header in the commit, and of the next record to copy. */
  at = 0;
  next = 0;

  constructor(key: LaneKey) {
    this.key = key;
  }
}

const recordMinBytes = 96;

export class CommitBuilder {
  readonly #identity: Identity;
  readonly #commitBytesMax: number;
  readonly #plans = new Map<LaneKey, BlockPlan>();
  readonly #staged: {
    readonly fingerprints: Float64Array;
    readonly slots: Int32Array;
    readonly offsets: Int32Array;
    readonly lengths: Int32Array;
  };
  /** Of each staged record: its batch and its block. */
  readonly #batches: WaitingBatch[] = [];
  readonly #blocks: BlockPlan[] = [];
  #count = 0;
  #bytes = 0;
  readonly #read: ReadRecord;

  constructor(identity: Identity, readStored: ReadRecord, commitBytesMax: number) {
    this.#identity = identity;
    this.#commitBytesMax = commitBytesMax;
    const capacity = Math.ceil(commitBytesMax / recordMinBytes) + 1;
    this.#staged = {
      fingerprints: new Float64Array(capacity),
      slots: new Int32Array(capacity),
      offsets: new Int32Array(capacity),
      lengths: new Int32Array(capacity),
    };
    // A negative position names a record of this commit by its place among the staged ones.
    this.#read = (position) => (position < 0 ? this.#stagedRecord(-position - 1) : readStored(position));
  }

  /** Stages records of the batches, in order, until a commit is full. Answers how many batches it used up. */
  stage(batches: readonly WaitingBatch[]): number {
    this.#reset();
    this.#identity.table.reserve(this.#staged.slots.length);
    for (const [at, batch] of batches.entries()) {
      if (!this.#stageBatch(batch)) return at;
    }
    return batches.length;
  }

  /** Lays the staged records out as blocks from `position` on. */
  build(position: number, commitNumber: number): Commit {
    let size = 0;
    for (const plan of this.#plans.values()) {
      plan.at = size;
      plan.next = size + blockHeaderBytes;
      size += blockBytes(plan.bytes);
    }
    const bytes = Buffer.allocUnsafeSlow(size);
    this.#copyRecords(bytes, position);
    return this.#finish(bytes, position, commitNumber);
  }

  /** The staged records are durable: their fingerprints stay. */
  keep(): void {
    for (let at = 0; at < this.#count; at++) this.#identity.noteDurable(this.#staged.fingerprints[at] as number);
    this.#reset();
  }

  /** Takes the staged records' fingerprints out of the table again. */
  undo(): void {
    for (let at = this.#count - 1; at >= 0; at--) this.#identity.table.undo(this.#staged.slots[at] as number);
    this.#reset();
  }

  #reset(): void {
    this.#plans.clear();
    this.#batches.length = 0;
    this.#blocks.length = 0;
    this.#count = 0;
    this.#bytes = 0;
  }

  /** Answers false when the commit is full before the batch ends. */
  #stageBatch(batch: WaitingBatch): boolean {
    const { view, buffer, statuses } = batch;
    let plan: BlockPlan | null = null;
    while (batch.offset < buffer.length) {
      const at = batch.offset;
      const length = view.getUint32(at, true);
      if (this.#bytes + length > this.#commitBytesMax && this.#count > 0) return false;
      const fingerprint = view.getFloat64(at + 40, true);
      if (this.#identity.holds(fingerprint, buffer, at, this.#read)) {
        statuses[batch.index] = 'duplicate';
      } else {
        const key = laneKey(view.getUint16(at + 6, true), view.getUint8(at + 5));
        if (plan === null || plan.key !== key) plan = this.#plan(key);
        this.#stageRecord(batch, plan, length, fingerprint);
      }
      batch.offset = at + length;
      batch.index++;
    }
    return true;
  }

  #plan(key: LaneKey): BlockPlan {
    let plan = this.#plans.get(key);
    if (plan === undefined) {
      plan = new BlockPlan(key);
      this.#plans.set(key, plan);
    }
    return plan;
  }

  #stageRecord(batch: WaitingBatch, plan: BlockPlan, length: number, fingerprint: number): void {
    const count = this.#count++;
    const acceptedMs = batch.view.getFloat64(batch.offset + 24, true);
    this.#staged.fingerprints[count] = fingerprint;
    this.#staged.slots[count] = this.#identity.table.insert(fingerprint, -count - 1);
    this.#staged.offsets[count] = batch.offset;
    this.#staged.lengths[count] = length;
    this.#batches[count] = batch;
    this.#blocks[count] = plan;
    this.#bytes += length;
    plan.bytes += length;
    plan.count++;
    if (acceptedMs < plan.acceptedMinMs) plan.acceptedMinMs = acceptedMs;
    if (acceptedMs > plan.acceptedMaxMs) plan.acceptedMaxMs = acceptedMs;
  }

  /** Copies neighbours that stay neighbours in one go, and tells the table where each record lies now. */
  #copyRecords(bytes: Buffer, position: number): void {
    const { slots, offsets, lengths } = this.#staged;
    const table = this.#identity.table;
    let at = 0;
    while (at < this.#count) {
      const batch = this.#batches[at] as WaitingBatch;
      const plan = this.#blocks[at] as BlockPlan;
      const from = offsets[at] as number;
      let to = from;
      for (; at < this.#count && this.#batches[at] === batch && this.#blocks[at] === plan; at++) {
        if (offsets[at] !== to) break;
        table.setPosition(slots[at] as number, position + plan.next + (to - from));
        to += lengths[at] as number;
      }
      batch.buffer.copy(bytes, plan.next, from, to);
      plan.next += to - from;
    }
  }

  #finish(bytes: Buffer, position: number, commitNumber: number): Commit {
    const blocks: { key: LaneKey; block: RecordBlock }[] = [];
    let acceptedMaxMs = 0;
    for (const plan of this.#plans.values()) {
      const first = plan.at + blockHeaderBytes;
      bytes.fill(0, plan.next, plan.at + blockBytes(plan.bytes));
      const records = bytes.subarray(first, plan.next);
      const { shard, lane } = splitLaneKey(plan.key);
      writeBlockHeader(bytes, plan.at, {
        lane,
        shard,
        bytes: plan.bytes,
        count: plan.count,
        acceptedMinMs: plan.acceptedMinMs,
        acceptedMaxMs: plan.acceptedMaxMs,
        position: position + plan.at,
        commit: commitNumber,
        place: blocks.length,
        blocks: this.#plans.size,
        recordsCrc: crc32(records),
      });
      const start = position + first;
      blocks.push({ key: plan.key, block: { start, end: start + plan.bytes, records, count: plan.count } });
      acceptedMaxMs = Math.max(acceptedMaxMs, plan.acceptedMaxMs);
    }
    return { bytes, blocks, acceptedMaxMs };
  }

  #stagedRecord(place: number): { buffer: Buffer; at: number } {
    return { buffer: (this.#batches[place] as WaitingBatch).buffer, at: this.#staged.offsets[place] as number };
  }
}
