/**
 * Port: the durable, ordered, replayable log of accepted events.
 *
 * Durability: `append` resolves only when every record of the batch would survive the loss of the process and,
 *   as far as the medium promises, of the machine. A rejected append stored nothing that will ever be read,
 *   or, where that cannot be known, its records may turn up as if they had been accepted, never in part of a record.
 * Order: records of one (shard, lane) are read in the order of their append. Between lanes there is no order.
 * Identity: within a tenant (source, id) names one event for as long as the log is kept, and a shard has one record of
 *   it: an event with people in several shards is one record in each. A record whose identity (shard included) is in
 *   the log already, or earlier in the same batch, is not appended; its result says `duplicate`. A fingerprint alone
 *   never decides that: the adapter compares with the stored record.
 * Positions: opaque to readers, increasing within a (shard, lane), below 2^53; `start` reads from the oldest kept.
 *   A reader commits its position with its own writes (in the inbox store), not here. A position older than what is
 *   kept is an error that stops the reader (N3a); it is never moved in silence.
 * Kafka: a lane is a topic, a shard a partition number that is the same in all lanes, a position an offset, the key of
 *   a record its recipient; `append` is an idempotent acks=all produce, identity is checked by the shard's owner.
 */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { PackedBatch } from './record.ts';

/** Where to read next in one (shard, lane). */
export type Position = number;

export const startPosition: Position = 0;

export type AppendStatus = 'accepted' | 'duplicate';

export interface LogBatch extends PackedBatch {
  /** Position behind the last record: commit this once the batch is applied. */
  readonly next: Position;
}

export interface LogReader {
  /** The next records in order: at least one, at most about `bytesMax`; null when it has caught up. Moves on. */
  pull(bytesMax: number): Promise<LogBatch | null>;
  /** Bytes appended and not yet pulled, for lag and admission. */
  behindBytes(): number;
}

export interface EventLog {
  /** One status per record, in order. Concurrent calls share one sync (group commit). */
  append(batch: PackedBatch): Promise<AppendStatus[]>;
  /** A reader of its own for one lane of one shard. Rejects with a clear error when `from` is no longer kept. */
  open(shard: number, lane: Lane, from: Position): Promise<LogReader>;
  /** Calls `listener` after each append that brought something for the shard. Answers how to stop. */
  onAppend(shard: number, listener: () => void): () => void;
  /** The position of the first record accepted at or after `timeMs`, for replay by time. */
  positionAt(shard: number, lane: Lane, timeMs: number): Promise<Position>;
  /**
   * Drops what was accepted before `timeMs`, as far as whole units allow and never past `applied`
   * (the least position of any reader that has something left to apply; infinite where none has). A lane of which
   * nothing was dropped still opens at its old position. Answers bytes freed.
   */
  trim(timeMs: number, applied: Position): Promise<number>;
  close(): Promise<void>;
}
