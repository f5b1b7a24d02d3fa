/**
 * A log's lanes from one log to another that has other shards, each lane in its order. Events may arrive twice when a copy
 * is cut off and goes on; readers show them once.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { limits } from '../base/limits.ts';
import type { EventLog, LogBatch, LogReader, Position } from '../log/event-log.ts';
import { startPosition } from '../log/event-log.ts';
import type { PackedBatch } from '../log/record.ts';
import { reshardRecords } from '../log/reshard-records.ts';

/** A part of one lane: until `to`, or its end. */
export interface LaneRange {
  readonly shard: number;
  readonly lane: Lane;
  readonly from: Position;
  readonly to: Position;
}

export interface CopyLogParts {
  readonly source: EventLog;
  readonly target: EventLog;
  /** Of the target. */
  readonly shards: number;
  /** What is behind this position of the lane is copied. */
  readonly copied: (range: LaneRange, to: Position) => Promise<void>;
}

export async function copyLog(parts: CopyLogParts, ranges: readonly LaneRange[]): Promise<void> {
  for (const range of ranges) {
    for await (const { batch, next } of batchesOf(parts.source, range)) {
      const cut = reshardRecords(batch, parts.shards);
      if (cut.count > 0) await parts.target.append(cut);
      await parts.copied(range, next);
    }
  }
}

/** Records that a copy of these ranges comes to. */
export async function countCopied(source: EventLog, ranges: readonly LaneRange[], shards: number): Promise<number> {
  let count = 0;
  for (const range of ranges) {
    for await (const { batch } of batchesOf(source, range)) count += reshardRecords(batch, shards).count;
  }
  return count;
}

/** By shard and lane, where each lane ends. */
export function laneEnds(log: EventLog, shards: number): Promise<Position[][]> {
  return each(shards, async (shard, lane) => {
    let end = startPosition;
    for await (const { next } of batchesOf(log, { shard, lane, from: startPosition, to: Number.POSITIVE_INFINITY })) {
      end = next;
    }
    return end;
  });
}

/** Records behind these positions. */
export async function countBehind(log: EventLog, begins: readonly (readonly Position[])[]): Promise<number> {
  let count = 0;
  for (const [shard, positions] of begins.entries()) {
    for (const [index, lane] of lanes.entries()) {
      const range = { shard, lane, from: positions[index] ?? startPosition, to: Number.POSITIVE_INFINITY };
      for await (const { batch } of batchesOf(log, range)) count += batch.count;
    }
  }
  return count;
}

export async function each<Result>(
  shards: number,
  work: (shard: number, lane: Lane) => Promise<Result>,
): Promise<Result[][]> {
  const all: Result[][] = [];
  for (let shard = 0; shard < shards; shard++) {
    const results: Result[] = [];
    for (const lane of lanes) results.push(await work(shard, lane));
    all.push(results);
  }
  return all;
}

async function* batchesOf(
  log: EventLog,
  { shard, lane, from, to }: LaneRange,
): AsyncIterable<{ batch: PackedBatch; next: Position }> {
  if (from >= to) return;
  const reader: LogReader = await log.open(shard, lane, from);
  try {
    for (let next = from; next < to; ) {
      const batch =
        to === Number.POSITIVE_INFINITY ? await reader.pull(limits.microBatchBytesMax) : await upTo(reader, to);
      if (batch === null) return;
      next = batch.next;
      if (next > to) throw new Error(`position ${to} of shard ${shard}, ${lane}, lies inside a record`);
      yield { batch, next };
    }
  } finally {
    reader.close();
  }
}

/** Record by record, so that what is behind the end does not come along. */
async function upTo(reader: LogReader, to: Position): Promise<LogBatch | null> {
  const parts: LogBatch[] = [];
  for (let bytes = 0; bytes < limits.microBatchBytesMax; bytes += parts.at(-1)?.bytes.length ?? 0) {
    const one = await reader.pull(1);
    if (one === null) break;
    parts.push(one);
    if (one.next >= to) break;
  }
  const last = parts.at(-1);
  if (last === undefined) return null;
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return { bytes: Buffer.concat(parts.map(({ bytes }) => bytes)), count, next: last.next };
}
