/**
 * Port: what a shard tells of its records beyond its people. One object for each shard, made anew when the shard begins
 * again from its stored positions.
 *
 * Every record of a micro-batch is seen before its decisions are written; then `settle` makes durable what follows from
 * them, and only then do positions move. So after a crash anything is seen again, and must have its effect once.
 */
import type { RecordView } from '../log/record.ts';

export interface RecordWatch {
  /** `type`: the event's, by its name in the catalogue. Must not throw, and keep no reference to `record`. */
  saw(record: RecordView, type: string): void;
  /** Null where nothing follows from what was seen. A call that failed is repeated. */
  settle(): Promise<void> | null;
}
