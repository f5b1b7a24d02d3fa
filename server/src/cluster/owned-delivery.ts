/**
 * One channel's worker at one shard, while this process owns the shard's deliveries. A fault ends the worker and drops its
 * memory; the next one reads on from what is stored, which is what also heals a crash.
 */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { DeliveryWorker } from '../deliver/delivery-worker.ts';

export interface OwnedDeliveryParts {
  readonly newWorker: () => DeliveryWorker;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

export class OwnedDelivery {
  readonly #parts: OwnedDeliveryParts;
  readonly #running: Promise<void>;
  #worker: DeliveryWorker | null = null;
  #isStopping = false;
  #endPause: () => void = () => {};

  constructor(parts: OwnedDeliveryParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** If one is at work just now. */
  get worker(): DeliveryWorker | null {
    return this.#worker;
  }

  /** Waits a while for what providers are to answer. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#endPause();
    await this.#worker?.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const worker = this.#parts.newWorker();
      try {
        await worker.start();
        this.#worker = worker;
        if (!this.#isStopping) await worker.failed;
      } catch (error) {
        if (!this.#isStopping) this.#parts.failed(error);
      }
      await worker.stop();
      this.#worker = null;
      if (!this.#isStopping) await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(limits.shardRestartMs, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
