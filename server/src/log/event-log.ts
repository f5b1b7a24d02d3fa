/**
 * Port: the durable, ordered, replayable log of accepted events.
 *
 * Durability: `append` resolves only when every record of the batch would survive the loss of the process and,
 *   as far as the medium promises, of the machine. A rejected append stored nothing that will ever be read,
 *   or, where that cannot be known, its records may turn up as if they had been accepted, never in part of a record.
 * Order: records of one (shard, lane) are read in the order of their append. Between lanes there is no order.
 * Identity: within a tenant (source, id) names one event, and a shard shows one record of it: an event with people in
 *   several shards is one record in each, and each part of an audience's people is one more (F1). Readers show an
 *   identity, shard and part included, once, whatever was appended, as far back as the adapter remembers; its limits say
 *   how far. Applying an event again is without effect by itself, so
 *   what is older than that does no harm. `append` answers `duplicate` where the adapter knows for certain that readers
 *   will not show the record: always within one batch and for what this object accepted a short while ago.
 *   A fingerprint alone never decides: identities are compared in full.
 * Positions: opaque to readers, increasing within a (shard, lane), below 2^53; `start` reads from the oldest kept.
 *   A reader commits its position with its own writes (in the inbox store), not here. A position older than what is
 *   kept is an error that stops the reader (N3a), and so is one behind the end; neither is ever moved in silence.
 * Embedded: the log remembers every identity it keeps, so `append` always tells and the log holds no repeat.
 * Kafka: a lane is a topic, a shard a partition number that is the same in all lanes, a position an offset, the key of
 *   a record its recipient; `append` is an idempotent acks=all produce, and readers drop repeats.
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
  /**
   * The next records in order: at least one, at most about `bytesMax`; or none with a position behind what was passed
   * over, where nothing else is left. Moves on. Null when it has caught up with all that is known here: what this log
   * appended, and what `onAppend` has told of.
   */
  pull(bytesMax: number): Promise<LogBatch | null>;
  /** Bytes appended and not yet pulled, for lag and admission: 0 when caught up; about right where they are not read yet. */
  behindBytes(): number;
  /** Lets go of what was read ahead. A pull under way may still answer; later ones must not be made. */
  close(): void;
}

/** Where reading of a (shard, lane) would go on after a crash; infinite where nothing is left to apply. */
export type AppliedPosition = (shard: number, lane: Lane) => Position;

export interface EventLog {
  /** One status per record, in order. Concurrent calls share one sync (group commit). */
  append(batch: PackedBatch): Promise<AppendStatus[]>;
  /** A reader of its own for one lane of one shard. Rejects with a clear error when `from` is no longer kept. */
  open(shard: number, lane: Lane, from: Position): Promise<LogReader>;
  /**
   * Calls `listener` whenever something was appended for the shard: here, or by another process while a reader of the
   * shard is open. Also when a reader cannot go on, so that its next pull tells why. Answers how to stop.
   */
  onAppend(shard: number, listener: () => void): () => void;
  /** The position of the first record accepted at or after `timeMs`, for replay by time. */
  positionAt(shard: number, lane: Lane, timeMs: number): Promise<Position>;
  /** When the record at a position was accepted; null where there is none yet. */
  acceptedAt(shard: number, lane: Lane, position: Position): Promise<number | null>;
  /**
   * Drops what was accepted before `timeMs`, as far as whole units allow and never past what is applied. A lane of which
   * nothing was dropped still opens at its old position. Answers bytes freed, about.
   */
  trim(timeMs: number, applied: AppliedPosition): Promise<number>;
  close(): Promise<void>;
}
