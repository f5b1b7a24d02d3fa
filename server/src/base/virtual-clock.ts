/** A clock that moves only when told to, for tests and the simulation. Timers fire in order of due time, then of creation. */
import type { Clock } from './clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

export class VirtualClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  #order = 0;
  #timers: Timer[] = [];

  constructor(startMs: number = Date.UTC(2026, 2, 10, 12)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#monotonicMs + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  every(periodMs: number, callback: () => void): () => void {
    let cancel = () => {};
    const again = () => {
      cancel = this.after(periodMs, again);
      callback();
    };
    cancel = this.after(periodMs, again);
    return () => cancel();
  }

  /** Moves time on by `durationMs`, running every timer that comes due, each at its own moment. */
  advance(durationMs: number): void {
    const endMs = this.#monotonicMs + durationMs;
    for (;;) {
      const next = this.#timers
        .filter((timer) => timer.dueMs <= endMs)
        .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#move(Math.max(0, next.dueMs - this.#monotonicMs));
      next.callback();
    }
    this.#move(endMs - this.#monotonicMs);
  }

  /** Sets the wall clock without running timers, as an operator or NTP would. */
  step(wallMs: number): void {
    this.#nowMs += wallMs;
  }

  #move(durationMs: number): void {
    this.#monotonicMs += durationMs;
    this.#nowMs += durationMs;
  }
}
