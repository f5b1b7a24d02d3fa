/** Order of timers: by due time, then id. */
import type { TimerKey } from './timer-store.ts';

type Place = Pick<TimerKey, 'id' | 'dueMs'>;

export function compareTimers(a: Place, b: Place): number {
  if (a.dueMs !== b.dueMs) return a.dueMs - b.dueMs;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Names a timer among all of a shard. */
export function timerName({ id, dueMs }: Place): string {
  return `${dueMs} ${id}`;
}
