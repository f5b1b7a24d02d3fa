/** The timer store as the owner of shards may use it: a write begins only while its shard is held (`fenced-store.ts`). */
import type { ShardOwnership } from '../shard/shard-ownership.ts';
import type { TimerStore } from '../shard/timer-store.ts';
import { ShardNotHeld } from './fenced-store.ts';

export function fencedTimers(store: TimerStore, ownership: Pick<ShardOwnership, 'holds'>): TimerStore {
  return {
    async write(shard, change) {
      if (!ownership.holds(shard)) throw new ShardNotHeld(`Shard ${shard} may have another owner.`);
      await store.write(shard, change);
    },
    open: store.open.bind(store),
    due: store.due.bind(store),
    nextDueMs: store.nextDueMs.bind(store),
    list: store.list.bind(store),
    zones: store.zones.bind(store),
    noteZones: store.noteZones.bind(store),
  };
}
