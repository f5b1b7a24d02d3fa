/**
 * What was planned with other rules of zones is planned anew, once for each shard, after they have changed (D7, D10,
 * BC-24): whoever has something held until the end of quiet hours or a digest is looked at again, row by row.
 *
 *   looking ──step──▶ looking, or done once the last timer has been seen; then the rules are noted
 *
 * In steps, between micro-batches. A crash begins again. Timers of the old plans stay: they find nothing that waits for them.
 */
import type { Clock } from '../base/clock.ts';
import { digest } from '../base/hash.ts';
import type { ShardTimers } from './shard-timers.ts';
import { replanned, type Timer, type TimerStore } from './timer-store.ts';

export interface ZoneRevisionParts {
  readonly shard: number;
  readonly timers: ShardTimers;
  readonly store: Pick<TimerStore, 'zones' | 'noteZones'>;
  readonly clock: Clock;
  /** The rules of this process. */
  readonly zoneData: string;
}

export class ZoneRevision {
  readonly #parts: ZoneRevisionParts;
  #isDone = false;

  constructor(parts: ZoneRevisionParts) {
    this.#parts = parts;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Looks whether there is anything to do. */
  async open(): Promise<void> {
    const { store, shard, zoneData } = this.#parts;
    this.#isDone = (await store.zones(shard)) === zoneData;
  }

  async step(): Promise<void> {
    const { timers, store, shard, clock, zoneData } = this.#parts;
    const nowMs = clock.now();
    if (!(await timers.addBeside((timer) => againAt(timer, nowMs)))) return;
    await store.noteZones(shard, zoneData);
    this.#isDone = true;
  }
}

/** One for each person and channel that has something held. */
function againAt(timer: Timer, nowMs: number): Timer | null {
  if ((timer.kind !== 'release' && timer.kind !== 'digest') || timer.dueMs <= nowMs) return null;
  const id = `replan.${timer.kind}.${timer.data}.${digest([timer.person], 22)}`;
  return { ...timer, id, dueMs: nowMs, data: `${timer.data} ${replanned}` };
}
