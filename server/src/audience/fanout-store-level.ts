/**
 * Fan-outs in LevelDB, for the embedded engine, under a prefix of the database that others use too:
 *
 *     <prefix>q<shard>:<id>   one under way, with its record
 *             s<id>           how far it has come, and in which shard
 *             d<id>           one that is done: a summary
 */
import type { AudienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
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
import { type LevelDatabase, LevelWrites } from './level-database.ts';

interface StoredJob extends Omit<FanoutJob, 'record'> {
  /** Base64. */
  readonly record: string;
}

interface StoredProgress extends FanoutProgress {
  readonly shard: number;
}

/** Read at a time, and removed at once. */
const stepRows = 100;

export class FanoutStoreLevel implements FanoutStore {
  readonly #db: LevelDatabase;
  readonly #prefix: string;
  readonly #writes: LevelWrites;

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDatabase, prefix = 'fanout/') {
    this.#db = db;
    this.#prefix = prefix;
    this.#writes = new LevelWrites(db);
  }

  begin(jobs: readonly FanoutJob[]): Promise<readonly FanoutJob[]> {
    return this.#writes.inTurn(async () => {
      const fresh = new Map<FanoutId, FanoutJob>();
      for (const job of jobs) if (!this.#isKnown(job.id)) fresh.set(job.id, job);
      if (fresh.size === 0) return [];
      const batch = this.#db.batch();
      for (const job of fresh.values()) {
        const stored: StoredJob = { ...job, record: job.record.toString('base64') };
        batch.put(this.#jobKey(job), JSON.stringify(stored));
        batch.put(`${this.#prefix}s${job.id}`, encodeProgress(job, notBegun));
      }
      await batch.write();
      return [...fresh.values()];
    });
  }

  async load(id: FanoutId): Promise<FanoutState | null> {
    const progress = this.#progress(id);
    if (progress === null) return null;
    const { shard, ...reached } = progress;
    const text = this.#db.getSync(this.#jobKey({ id, shard }));
    return text === undefined ? null : { job: toJob(text), progress: reached };
  }

  async pending(
    shard: number,
    after: FanoutId | null,
    max: number,
  ): Promise<{ id: FanoutId; audience: AudienceKey }[]> {
    const range = { gt: this.#jobKey({ id: after ?? '', shard }), lt: `${this.#prefix}q${shard};`, limit: max };
    const entries = await this.#db.iterator(range).all();
    return entries.map(([, text]) => toJob(text));
  }

  advance(job: FanoutJob, progress: FanoutProgress): Promise<void> {
    return this.#writes.inTurn(() =>
      this.#db.batch().put(`${this.#prefix}s${job.id}`, encodeProgress(job, progress)).write(),
    );
  }

  finish(job: FanoutJob, progress: FanoutProgress, doneMs: number): Promise<void> {
    return this.#writes.inTurn(() =>
      this.#db
        .batch()
        .put(`${this.#prefix}d${job.id}`, JSON.stringify(summaryOf(job, progress, doneMs)))
        .del(this.#jobKey(job))
        .del(`${this.#prefix}s${job.id}`)
        .write(),
    );
  }

  async waiting(max: number): Promise<number> {
    return (await this.#db.keys({ gte: `${this.#prefix}s`, lt: `${this.#prefix}t`, limit: max }).all()).length;
  }

  async list(of: FanoutsOf, max: number): Promise<FanoutSummary[]> {
    const found: FanoutSummary[] = [];
    for await (const [key, text] of this.#db.iterator({ gte: `${this.#prefix}s`, lt: `${this.#prefix}t` })) {
      if (found.length === max) return found;
      const progress = JSON.parse(text) as StoredProgress;
      const id = key.slice(this.#prefix.length + 1);
      const job = this.#db.getSync(this.#jobKey({ id, shard: progress.shard }));
      const summary = job === undefined ? null : summaryOf(toJob(job), progress, null);
      if (summary !== null && isOf(summary, of)) found.push(summary);
    }
    const done = { gte: `${this.#prefix}d`, lt: `${this.#prefix}e`, reverse: true, limit: limits.fanoutsLookedAtMax };
    for await (const text of this.#db.values(done)) {
      if (found.length === max) break;
      const summary = JSON.parse(text) as FanoutSummary;
      if (isOf(summary, of)) found.push(summary);
    }
    return found;
  }

  prune(beforeMs: number): Promise<number> {
    return this.#writes.inTurn(async () => {
      const range = { gte: `${this.#prefix}d`, lt: `${this.#prefix}e` };
      const due: string[] = [];
      for await (const [key, text] of this.#db.iterator(range)) {
        const { acceptedMs, doneMs } = JSON.parse(text) as FanoutSummary;
        // They lie in the order of their intake, before which none was done.
        if (acceptedMs >= beforeMs || due.length === stepRows) break;
        if (doneMs !== null && doneMs < beforeMs) due.push(key);
      }
      if (due.length === 0) return 0;
      const batch = this.#db.batch();
      for (const key of due) batch.del(key);
      await batch.write();
      return due.length;
    });
  }

  #isKnown(id: FanoutId): boolean {
    return (
      this.#db.getSync(`${this.#prefix}s${id}`) !== undefined || this.#db.getSync(`${this.#prefix}d${id}`) !== undefined
    );
  }

  #progress(id: FanoutId): StoredProgress | null {
    const text = this.#db.getSync(`${this.#prefix}s${id}`);
    return text === undefined ? null : (JSON.parse(text) as StoredProgress);
  }

  #jobKey({ id, shard }: Pick<FanoutJob, 'id' | 'shard'>): string {
    return `${this.#prefix}q${shard}:${id}`;
  }
}

function encodeProgress({ shard }: FanoutJob, progress: FanoutProgress): string {
  return JSON.stringify({ shard, ...progress } satisfies StoredProgress);
}

function toJob(text: string): FanoutJob {
  const stored = JSON.parse(text) as StoredJob;
  return { ...stored, record: Buffer.from(stored.record, 'base64') };
}
