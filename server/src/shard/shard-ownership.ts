/**
 * Port: which shards this process is the one writer of. A shard has at most one owner at a time; the same number is
 * owned in all lanes at once.
 *
 *   free ──gained──▶ owned ──lost──▶ free
 *
 * `gained` is called once a shard is ours: start its executor at the stored positions.
 * `lost` is called before another process may gain it: the executor finishes nothing more than the write under way;
 *   only when the call has resolved is the shard given up. What was read ahead is dropped.
 * A process that stands still, or is cut off, loses its shards without being told in time. So `holds` answers false as
 *   soon as another process *may* be the owner, by this process's own clock, and every write asks it first. A write
 *   already on its way then loses against the new owner's, row by row, by its revision.
 * Shards are shared out evenly, and one that need not move stays where it is: its people are in memory there.
 */
import type { Position } from '../log/event-log.ts';

export interface OwnershipListener {
  gained(shards: readonly number[]): Promise<void>;
  lost(shards: readonly number[]): Promise<void>;
  /** Membership cannot go on; the process must stop. */
  failed(error: unknown): void;
}

export interface ShardOwnership {
  /** Joins; shards come by and by. */
  start(listener: OwnershipListener): Promise<void>;
  /** Whether a write to this shard may begin now. */
  holds(shard: number): boolean;
  /** Whether what was done meanwhile may be put on record: also while `lost` is under way, as long as no other may be the owner. */
  mayFinish(shard: number): boolean;
  /**
   * Positions of a shard, by lane, that are stored: told to whoever shows how far the shards have come, at some later
   * time, and never for a shard that is not held. Nothing is read back from there.
   */
  applied(shard: number, positions: readonly Position[]): void;
  /** Gives up all shards (`lost` is called for them) and leaves, so that others need not wait for a time-out. */
  stop(): Promise<void>;
}
