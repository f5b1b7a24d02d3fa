/**
 * Timers of an embedded engine into those of a cluster, which may have another number of shards: what was to happen later
 * happens there. Copying again changes nothing.
 */
import { shardOf } from '../base/hash.ts';
import { limits } from '../base/limits.ts';
import type { Timer, TimerStore } from '../shard/timer-store.ts';

export interface ShardedTimers {
  readonly timers: TimerStore;
  readonly shards: number;
}

export async function copyTimers(source: ShardedTimers, target: ShardedTimers): Promise<void> {
  for (let shard = 0; shard < target.shards; shard++) await target.timers.open(shard);
  // With which rules of zones they were set is not copied: they are planned anew, whatever these were.
  for await (const timers of pagesOf(source)) {
    const byShard = Map.groupBy(timers, ({ person }) => shardOf(person, target.shards));
    for (const [shard, set] of byShard) await target.timers.write(shard, { set });
  }
}

export async function countTimers(of: ShardedTimers): Promise<number> {
  let count = 0;
  for await (const timers of pagesOf(of)) count += timers.length;
  return count;
}

async function* pagesOf({ timers, shards }: ShardedTimers): AsyncIterable<readonly Timer[]> {
  for (let shard = 0; shard < shards; shard++) {
    await timers.open(shard);
    for (let last: Timer | null = null; ; ) {
      const page: readonly Timer[] = await timers.list(shard, last, limits.timerPageRows);
      if (page.length === 0) break;
      yield page;
      last = page.at(-1) ?? null;
    }
  }
}
