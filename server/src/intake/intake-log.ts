/** What intake needs of the log: append, and how far behind things are. The embedded engine puts a thread between. */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { AppendStatus } from '../log/event-log.ts';
import type { PackedBatch } from '../log/record.ts';

export interface IntakeLog {
  /** Resolves when durable, with one status per record. Takes over `batch.bytes`: the caller must not touch it again. */
  append(batch: PackedBatch): Promise<AppendStatus[]>;
  /** Bytes handed to `append` whose answer is outstanding. */
  waitingBytes(): number;
  /** Bytes durable but not yet applied by the shards, per lane, as last heard. */
  unappliedBytes(lane: Lane): number;
  /** How many shards recipients are spread over. */
  readonly shards: number;
}
