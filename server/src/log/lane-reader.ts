/**
 * The weighted pull from one shard's three lanes (D8): each micro-batch has a share for every lane, and what a lane
 * leaves goes to the next, so that bulk waits first and a flood of it never keeps a direct message waiting.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import type { EventLog, LogBatch, LogReader, Position } from './event-log.ts';

/** Share of a micro-batch that a lane is sure of while all are behind, in the order of `lanes`. */
const shares = [0.6, 0.3, 0.1] as const;

export interface LaneBatches {
  /** Non-empty, most urgent lane first. */
  readonly batches: readonly LogBatch[];
  /** Positions of all lanes once these batches are applied. */
  readonly positions: readonly Position[];
}

export class LaneReader {
  readonly #readers: readonly LogReader[];
  #positions: readonly Position[];
  /** Bytes of each lane in the micro-batch pulled last, until it is applied. */
  readonly #underWay = lanes.map(() => 0);

  private constructor(readers: readonly LogReader[], positions: readonly Position[]) {
    this.#readers = readers;
    this.#positions = positions;
  }

  static async open(log: EventLog, shard: number, positions: readonly Position[]): Promise<LaneReader> {
    const opening = lanes.map((lane, index) => log.open(shard, lane, positions[index] as Position));
    const opened = await Promise.allSettled(opening);
    const readers = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = opened.find((each) => each.status === 'rejected');
    if (failed === undefined) return new LaneReader(readers, positions);
    for (const reader of readers) reader.close();
    throw failed.reason;
  }

  /** The next micro-batch of about `bytesMax`, or null when every lane has caught up. */
  async pull(bytesMax: number): Promise<LaneBatches | null> {
    const batches: LogBatch[] = [];
    const positions = [...this.#positions];
    let left = bytesMax;
    for (const [index, reader] of this.#readers.entries()) {
      const reserved = this.#reservedBelow(index, bytesMax);
      const batch = await reader.pull(Math.max(1, left - reserved));
      if (batch === null) continue;
      batches.push(batch);
      positions[index] = batch.next;
      this.#underWay[index] = batch.bytes.length;
      left = Math.max(0, left - batch.bytes.length);
    }
    if (batches.length === 0) return null;
    this.#positions = positions;
    return { batches, positions };
  }

  close(): void {
    for (const reader of this.#readers) reader.close();
  }

  /** The micro-batch pulled last is applied. */
  applied(): void {
    this.#underWay.fill(0);
  }

  /** Bytes of a lane, by index, that are durable and not yet applied. */
  unappliedBytes(lane: number): number {
    return this.#behindBytes(lane) + (this.#underWay[lane] as number);
  }

  #behindBytes(lane: number): number {
    return (this.#readers[lane] as LogReader).behindBytes();
  }

  /** What lanes after `index` may claim of this micro-batch: their share, or less if less is waiting. */
  #reservedBelow(index: number, bytesMax: number): number {
    let reserved = 0;
    for (let lane = index + 1; lane < this.#readers.length; lane++) {
      reserved += Math.min((shares[lane] as number) * bytesMax, this.#behindBytes(lane));
    }
    return reserved;
  }
}
