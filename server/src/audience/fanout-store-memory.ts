/** Fan-outs in memory, for tests. */
import type { FanoutId, FanoutJob, FanoutProgress } from './fanout-job.ts';
import { notBegun } from './fanout-job.ts';
import {
  type FanoutState,
  type FanoutStore,
  type FanoutSummary,
  type FanoutsOf,
  isOf,
  summaryOf,
} from './fanout-store.ts';

export class FanoutStoreMemory implements FanoutStore {
  readonly #underWay = new Map<FanoutId, FanoutState>();
  readonly #done = new Map<FanoutId, FanoutSummary>();

  async begin(jobs: readonly FanoutJob[]): Promise<readonly FanoutJob[]> {
    const fresh: FanoutJob[] = [];
    for (const job of jobs) {
      if (this.#underWay.has(job.id) || this.#done.has(job.id)) continue;
      this.#underWay.set(job.id, { job, progress: notBegun });
      fresh.push(job);
    }
    return fresh;
  }

  async load(id: FanoutId): Promise<FanoutState | null> {
    return this.#underWay.get(id) ?? null;
  }

  async pending(shard: number, after: FanoutId | null, max: number): Promise<readonly FanoutJob[]> {
    const jobs = [...this.#underWay.values()].map(({ job }) => job);
    const behind = jobs.filter((job) => job.shard === shard && (after === null || job.id > after));
    return behind.sort(byId).slice(0, max);
  }

  async advance(job: FanoutJob, progress: FanoutProgress): Promise<void> {
    this.#underWay.set(job.id, { job, progress });
  }

  async finish(job: FanoutJob, progress: FanoutProgress, doneMs: number): Promise<void> {
    this.#underWay.delete(job.id);
    this.#done.set(job.id, summaryOf(job, progress, doneMs));
  }

  async waiting(max: number): Promise<number> {
    return Math.min(max, this.#underWay.size);
  }

  async list(of: FanoutsOf, max: number): Promise<readonly FanoutSummary[]> {
    const underWay = [...this.#underWay.values()].map(({ job, progress }) => summaryOf(job, progress, null));
    const done = [...this.#done.values()].sort(byId).reverse();
    return [...underWay.sort(byId), ...done].filter((each) => isOf(each, of)).slice(0, max);
  }

  async prune(beforeMs: number): Promise<number> {
    const due = [...this.#done.values()].filter(({ doneMs }) => doneMs !== null && doneMs < beforeMs);
    for (const { id } of due) this.#done.delete(id);
    return due.length;
  }
}

function byId(a: { readonly id: FanoutId }, b: { readonly id: FanoutId }): number {
  return a.id < b.id ? -1 : 1;
}
