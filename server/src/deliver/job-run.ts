/** A job that a worker has in hand: its deliveries as they are by now, and what is to be written of them. */
import type { Delivery, Job } from './delivery.ts';
import { jobName } from './delivery.ts';
import { isSettled } from './delivery-state.ts';
import type { RetryKey } from './retry-timers.ts';

/** Jobs of the log that were pulled together: once none is left, the log before them is done. */
export interface Pulled {
  left: number;
  readonly positions: readonly number[];
}

export class JobRun {
  readonly name: string;
  /** Deliveries that are at work here: to be planned, ready, or called for. */
  readonly active = new Set<string>();
  /** Null: not from the log, but taken up again. */
  pulled: Pulled | null;
  /** Timers that are done once what they led to is written. */
  readonly done: RetryKey[] = [];
  /** Endpoints whose deliveries have changed since they were written. */
  changed = new Set<string>();
  readonly #job: Job;
  readonly #deliveries: Map<string, Delivery>;

  constructor(job: Job, pulled: Pulled | null) {
    this.name = jobName(job);
    this.#job = job;
    this.pulled = pulled;
    this.#deliveries = new Map(job.deliveries.map((delivery) => [delivery.endpoint, delivery]));
  }

  /** As it is to be stored. */
  get job(): Job {
    return { ...this.#job, deliveries: [...this.#deliveries.values()] };
  }

  delivery(endpoint: string): Delivery {
    const found = this.#deliveries.get(endpoint);
    if (found === undefined) throw new Error('a job has no delivery for this endpoint');
    return found;
  }

  has(endpoint: string): boolean {
    return this.#deliveries.has(endpoint);
  }

  put(delivery: Delivery): void {
    this.#deliveries.set(delivery.endpoint, delivery);
    this.changed.add(delivery.endpoint);
    // What waits for a time, or has ended, is in nobody's hands.
    if (isSettled(delivery.state) || delivery.dueAtMs !== null) this.active.delete(delivery.endpoint);
  }
}
