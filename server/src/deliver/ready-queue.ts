/**
 * Deliveries that are planned and wait for their provider, in the order in which they are to go: by lane, then as they came.
 * What cannot go just now stays where it is, and does not stand in the way of what goes elsewhere.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Gates } from './gates.ts';
import type { Ready } from './job-planner.ts';
import type { Route } from './outlet.ts';

export interface Going extends Ready {
  /** Let through its gate. */
  readonly route: Route;
}

export interface Sorted {
  readonly going: readonly Going[];
  /** Planned so long ago that everything must be looked at once more. */
  readonly stale: readonly Ready[];
  /** Until when the first of those that wait for a time waits; null: none does. */
  readonly waitUntilMs: number | null;
  /** How many are over a quota that were not before. */
  readonly heldBack: number;
}

export class ReadyQueue {
  readonly #gates: Gates;
  readonly #clock: Clock;
  #waiting: readonly Ready[] = [];
  /** Of those, what is over a quota. */
  #overQuota = new WeakSet<Ready>();

  constructor(gates: Gates, clock: Clock) {
    this.#gates = gates;
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(ready: readonly Ready[]): void {
    this.#waiting = [...this.#waiting, ...ready].sort((a, b) => rank(a) - rank(b));
  }

  /** Takes out all that may go now, and what has to be planned anew. */
  take(): Sorted {
    const going: Going[] = [];
    const stale: Ready[] = [];
    const staying: Ready[] = [];
    let waitUntilMs: number | null = null;
    let heldBack = 0;
    const staleBeforeMs = this.#clock.monotonic() - limits.deliveryPlanFreshMs;
    for (const ready of this.#waiting) {
      const { route, untilMs, isOverQuota } = this.#enter(ready);
      if (route !== null && ready.plannedAtMs < staleBeforeMs) {
        this.#gates.ended(route, null);
        stale.push(ready);
      } else if (route !== null) {
        going.push({ ...ready, route });
      } else {
        staying.push(ready);
        if (untilMs !== 0) waitUntilMs = Math.min(untilMs, waitUntilMs ?? Number.POSITIVE_INFINITY);
        if (isOverQuota && !this.#overQuota.has(ready)) {
          this.#overQuota.add(ready);
          heldBack++;
        }
      }
    }
    this.#waiting = staying;
    return { going, stale, waitUntilMs, heldBack };
  }

  /**
   * Takes out those that wait for a provider's pause, with when it is over, and those that wait longer than a little for
   * their quota, those ahead of them counted.
   */
  takeWaiting(): readonly { readonly ready: Ready; readonly untilMs: number }[] {
    const found: { ready: Ready; untilMs: number }[] = [];
    const ahead = new Map<string, number>();
    this.#waiting = this.#waiting.filter((ready) => {
      const pausedMs = this.#gates.pauseOf(ready.routes);
      const untilMs = pausedMs ?? this.#afterQuota(ready, ahead);
      if (untilMs === null) return true;
      found.push({ ready, untilMs });
      return false;
    });
    return found;
  }

  /** Null: it is its turn soon, and then one more is ahead of the others. */
  #afterQuota(ready: Ready, ahead: Map<string, number>): number | null {
    const [first] = ready.routes;
    if (first === undefined) return null;
    const waitMs = this.#gates.quotaWaitOf(ready.routes, ahead);
    if (waitMs > limits.quotaWaitMs) return this.#gates.promise(first, rank(ready));
    for (const { name } of first.quotas ?? []) ahead.set(name, (ahead.get(name) ?? 0) + 1);
    return null;
  }

  /** The first way that is open; else when one opens, 0: when a call ends. */
  #enter({ routes }: Ready): { route: Route | null; untilMs: number; isOverQuota: boolean } {
    let untilMs = Number.POSITIVE_INFINITY;
    let isOverQuota = false;
    for (const route of routes) {
      const answer = this.#gates.enter(route);
      if (answer.kind === 'go') return { route, untilMs: 0, isOverQuota: false };
      untilMs = Math.min(untilMs, answer.kind === 'full' ? 0 : answer.untilMs);
      isOverQuota ||= answer.kind === 'overQuota';
    }
    return { route: null, untilMs, isOverQuota };
  }
}

function rank({ run }: Ready): number {
  return lanes.indexOf(run.job.lane);
}
