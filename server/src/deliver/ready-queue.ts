/**
 * Deliveries that are planned and wait for their provider, in the order in which they are to go. What cannot go just now
 * stays where it is, and does not stand in the way of what goes elsewhere.
 */
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
  /** Until when the first of those that wait for a provider's pause waits; null: none does. */
  readonly waitUntilMs: number | null;
}

export class ReadyQueue {
  readonly #gates: Gates;
  readonly #clock: Clock;
  #waiting: readonly Ready[] = [];

  constructor(gates: Gates, clock: Clock) {
    this.#gates = gates;
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(ready: readonly Ready[]): void {
    this.#waiting = [...this.#waiting, ...ready];
  }

  /** Takes out all that may go now, and what has to be planned anew. */
  take(): Sorted {
    const going: Going[] = [];
    const stale: Ready[] = [];
    const staying: Ready[] = [];
    let waitUntilMs: number | null = null;
    const staleBeforeMs = this.#clock.monotonic() - limits.deliveryPlanFreshMs;
    for (const ready of this.#waiting) {
      const found = this.#enter(ready);
      if (typeof found === 'object' && ready.plannedAtMs < staleBeforeMs) {
        this.#gates.ended(found, null);
        stale.push(ready);
      } else if (typeof found === 'object') {
        going.push({ ...ready, route: found });
      } else {
        staying.push(ready);
        if (found !== 0) waitUntilMs = Math.min(found, waitUntilMs ?? Number.POSITIVE_INFINITY);
      }
    }
    this.#waiting = staying;
    return { going, stale, waitUntilMs };
  }

  /** Takes out those that wait for a provider's pause, with when it is over. */
  takeWaiting(): readonly { readonly ready: Ready; readonly untilMs: number }[] {
    const found: { ready: Ready; untilMs: number }[] = [];
    this.#waiting = this.#waiting.filter((ready) => {
      const untilMs = this.#gates.pauseOf(ready.routes);
      if (untilMs === null) return true;
      found.push({ ready, untilMs });
      return false;
    });
    return found;
  }

  /** The first way that is open; else when one opens, 0: when a call ends. */
  #enter({ routes }: Ready): Route | number {
    let untilMs = Number.POSITIVE_INFINITY;
    for (const route of routes) {
      const answer = this.#gates.enter(route);
      if (answer.kind === 'go') return route;
      untilMs = Math.min(untilMs, answer.kind === 'full' ? 0 : answer.untilMs);
    }
    return untilMs;
  }
}
