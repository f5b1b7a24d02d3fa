/**
 * Counts notifications that reached their recipient's socket, and how long each took from its scheduled send.
 *
 * A row that stands alone is one event: exact. A group's row carries the number of people: what it grew by since the
 * last frame is how many events it delivers, and they are matched with that group's events in order of sending. So the
 * sum is exact; posts that overtake each other within a group may swap latencies, never lose or add one.
 */
import { Histogram } from '../lib/histogram.ts';
import type { Plan } from './plan.ts';

export class Tally {
  readonly #plan: Plan;
  readonly #postOf: (lap: number, seq: number) => number;
  /** People each group showed last, by lap; old laps are dropped. */
  readonly #shown = new Map<number, Uint32Array>();
  /** Scheduled send of each post since the driver began, in microseconds. */
  readonly scheduledUs: number[] = [];
  latency = new Histogram();
  delivered = 0;
  /** Rows that went back, came twice or name an unknown event: 0 in a correct run. */
  strays = 0;
  frames = 0;
  frameBytes = 0;
  nowUs = 0;
  readonly #seen = new Map<number, Uint8Array>();

  constructor(plan: Plan, postOf: (lap: number, seq: number) => number) {
    this.#plan = plan;
    this.#postOf = postOf;
  }

  begin(): void {
    this.latency = new Histogram();
    this.delivered = 0;
    this.strays = 0;
    this.frames = 0;
    this.frameBytes = 0;
  }

  event(lap: number, seq: number): void {
    const seen = this.#lap(this.#seen, lap, () => new Uint8Array(this.#plan.events.length));
    if (seq >= seen.length || seen[seq] === 1) {
      this.strays++;
      return;
    }
    seen[seq] = 1;
    this.#deliver(lap, seq);
  }

  group(lap: number, group: number, people: number): void {
    const shown = this.#lap(this.#shown, lap, () => new Uint32Array(this.#plan.groups));
    const before = shown[group] ?? Number.NaN;
    const start = this.#plan.groupStart[group] ?? 0;
    if (!(people >= before) || start + people > (this.#plan.groupStart[group + 1] ?? 0)) {
      this.strays++;
      return;
    }
    for (let i = before; i < people; i++) this.#deliver(lap, this.#plan.groupSeqs[start + i] ?? 0);
    shown[group] = people;
  }

  #deliver(lap: number, seq: number): void {
    this.delivered++;
    this.latency.record(this.nowUs - (this.scheduledUs[this.#postOf(lap, seq)] ?? this.nowUs));
  }

  #lap<T>(laps: Map<number, T>, lap: number, make: () => T): T {
    let state = laps.get(lap);
    if (state === undefined) {
      state = make();
      laps.set(lap, state);
      laps.delete(lap - 4);
    }
    return state;
  }
}
