/** Does what must be done until it succeeds, or whoever does it is stopped: nothing is skipped because a store was away. */
import type { Clock } from '../base/clock.ts';

/** Thrown out of `until` by a stop. */
export class Stopped extends Error {}

export class Persistence {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #failed: (error: unknown) => void;
  #isStopped = false;
  #goOn = (): void => {};

  constructor(clock: Clock, pauseMs: number, failed: (error: unknown) => void) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
    this.#failed = failed;
  }

  /** Whoever waits for the next try gives up. */
  stop(): void {
    this.#isStopped = true;
    this.#goOn();
  }

  /** One at a time. */
  async until<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        this.#failed(error);
        await this.#pause();
        if (this.#isStopped) throw new Stopped();
      }
    }
  }

  #pause(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      this.#goOn = resolve;
      this.#clock.after(this.#pauseMs, resolve);
    });
  }
}
