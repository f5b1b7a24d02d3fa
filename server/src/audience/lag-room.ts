/**
 * Keeps fan-out from writing more than the shards of a cluster can take (F4): how many records of the bulk lane wait, over
 * all shards, is asked before every few chunks. Where others keep the lane full, a chunk goes through now and then all
 * the same, and while nobody can say how many wait, too: appends fail by themselves then.
 */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';

export interface LagRoomOptions {
  /** Records of the bulk lane that are durable and not yet applied. */
  readonly behind: () => Promise<number>;
  readonly recordsMax: number;
  /** Chunks that are let through between two looks. */
  readonly chunksAhead: number;
  readonly clock: Clock;
}

export class LagRoom {
  readonly #options: LagRoomOptions;
  #chunksLeft = 0;
  #isOpen = true;
  #endPause: () => void = () => {};

  constructor(options: LagRoomOptions) {
    this.#options = options;
  }

  /** Resolves when there is room, or once it is closed. One may wait at a time. */
  room = async (): Promise<void> => {
    const { behind, recordsMax, chunksAhead, clock } = this.#options;
    if (this.#chunksLeft > 0) {
      this.#chunksLeft--;
      return;
    }
    const endMs = clock.monotonic() + limits.fanoutWaitMs;
    while (this.#isOpen) {
      const records = await behind().catch(() => Number.POSITIVE_INFINITY);
      if (records <= recordsMax) {
        this.#chunksLeft = chunksAhead - 1;
        return;
      }
      if (clock.monotonic() >= endMs || !this.#isOpen) return;
      await this.#pause();
    }
  };

  close(): void {
    this.#isOpen = false;
    this.#endPause();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(limits.fanoutLookMs, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
