/** A timer store whose calls are repeated until they succeed. */
import type { TimerStore } from './timer-store.ts';

export function persistentTimers(
  timers: TimerStore,
  repeat: <Result>(work: () => Promise<Result>) => Promise<Result>,
): TimerStore {
  return {
    open: (shard) => timers.open(shard),
    write: (shard, change) => repeat(() => timers.write(shard, change)),
    due: (shard, nowMs, max) => repeat(() => timers.due(shard, nowMs, max)),
    nextDueMs: (shard) => repeat(() => timers.nextDueMs(shard)),
    list: (shard, after, max) => repeat(() => timers.list(shard, after, max)),
    zones: (shard) => repeat(() => timers.zones(shard)),
    noteZones: (shard, version) => repeat(() => timers.noteZones(shard, version)),
  };
}
