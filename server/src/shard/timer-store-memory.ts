/** Timers in memory: for tests and the simulation, where they outlive the process that is played. */
import { compareTimers, timerName } from './timer-order.ts';
import type { Timer, TimerChange, TimerKey, TimerStore } from './timer-store.ts';

export class TimerStoreMemory implements TimerStore {
  readonly #shards = new Map<number, Map<string, Timer>>();
  readonly #zones = new Map<number, string>();

  async open(): Promise<void> {}

  async write(shard: number, { set = [], done = [] }: TimerChange): Promise<void> {
    const timers = this.#shards.get(shard) ?? new Map<string, Timer>();
    this.#shards.set(shard, timers);
    for (const timer of set) timers.set(timerName(timer), timer);
    for (const key of done) timers.delete(timerName(key));
  }

  async due(shard: number, nowMs: number, max: number): Promise<readonly Timer[]> {
    return this.#sorted(shard)
      .filter(({ dueMs }) => dueMs <= nowMs)
      .slice(0, max);
  }

  async nextDueMs(shard: number): Promise<number | null> {
    return this.#sorted(shard)[0]?.dueMs ?? null;
  }

  async list(shard: number, after: Pick<TimerKey, 'id' | 'dueMs'> | null, max: number): Promise<readonly Timer[]> {
    const timers = this.#sorted(shard);
    return (after === null ? timers : timers.filter((timer) => compareTimers(timer, after) > 0)).slice(0, max);
  }

  async zones(shard: number): Promise<string | null> {
    return this.#zones.get(shard) ?? null;
  }

  async noteZones(shard: number, version: string): Promise<void> {
    this.#zones.set(shard, version);
  }

  #sorted(shard: number): Timer[] {
    return [...(this.#shards.get(shard)?.values() ?? [])].sort(compareTimers);
  }
}
