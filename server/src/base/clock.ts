/** Time as an argument: real in service, simulated in tests. Nothing else in the server reads the machine's clock. */
export interface Clock {
  /** Milliseconds since 1970, wall clock; may step. */
  now(): number;
  /** Milliseconds from an arbitrary start; never steps back. For durations. */
  monotonic(): number;
  /** Calls `callback` once after `delayMs`; the returned function cancels. Never keeps the process alive by itself. */
  after(delayMs: number, callback: () => void): () => void;
  /** Calls `callback` every `periodMs` until cancelled. Never keeps the process alive by itself. */
  every(periodMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  every(periodMs, callback) {
    const timer = setInterval(callback, periodMs);
    timer.unref();
    return () => clearInterval(timer);
  },
};
