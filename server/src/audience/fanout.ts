/**
 * Fan-out (F1): brings each event that is for an audience to the audience's people, chunk by chunk.
 *
 *   waiting ──turn──▶ reading members ──▶ appending their records ──▶ noting progress ──▶ waiting, or done
 *                         └────────fails, or is paused──────▶ resting, then waiting
 *
 * Order: events of one audience go one after another, in the order of their intake; audiences take turns, so that a small
 * one does not wait for a large one to be done.
 * A chunk is durable in the log before its progress is noted: after a crash anywhere it is written again, and that is
 * without effect (`chunk-records.ts`). So nobody who is a member all the while is left out, and nobody is told twice.
 * Of what goes to a large audience, the first step keeps it once for all of them (F3), and the others write it to those who
 * asked to be pushed; which of the two it is stays as it was at that step.
 * It waits while the bulk lane has enough to do (F4), so that what waits of it waits here.
 */
import type { Clock } from '../base/clock.ts';
import type { AudienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Service } from '../base/service.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { PackedBatch } from '../log/record.ts';
import { AudiencePaused, type AudienceSource } from './audience-source.ts';
import type { Broadcasting } from './broadcasting.ts';
import { chunkRecords } from './chunk-records.ts';
import type { FanoutId, FanoutJob, FanoutProgress } from './fanout-job.ts';
import type { FanoutState, FanoutStore } from './fanout-store.ts';

export interface FanoutParts {
  readonly store: FanoutStore;
  readonly source: AudienceSource;
  readonly broadcasting: Pick<Broadcasting, 'isMeant' | 'keep' | 'askedForPush'>;
  readonly shards: number;
  /** Members read and written at once. */
  readonly chunkMembers: number;
  readonly clock: Clock;
  /** Resolves when durable. */
  readonly append: (batch: PackedBatch) => Promise<unknown>;
  /** Resolves when the bulk lane can take a chunk more. Whoever stops fan-out makes it resolve. */
  readonly room: () => Promise<void>;
  /** A step failed and will be tried again. Must not throw. */
  readonly failed: (error: unknown) => void;
}

type Waiting = Pick<FanoutJob, 'id' | 'audience' | 'shard'>;

const metrics = {
  waiting: series('carillon_fanouts_waiting', {}),
  done: series('carillon_fanouts_done_total', {}),
  chunks: series('carillon_fanout_chunks_total', {}),
  recipients: series('carillon_fanout_recipients_total', {}),
  failures: series('carillon_fanout_failures_total', {}),
};

export class Fanout implements Service {
  readonly #parts: FanoutParts;
  /** What is to do, by audience, oldest first. */
  readonly #waiting = new Map<AudienceKey, Waiting[]>();
  /** Audiences with something to do, in turn; those that rest after a failure are not among them. */
  readonly #turns = new Set<AudienceKey>();
  /** The fan-out that each audience is at, once it has had a turn. */
  readonly #underWay = new Map<AudienceKey, FanoutState>();
  readonly #resting = new Set<() => void>();
  /** How often in a row an audience could not go on. */
  readonly #failures = new Map<AudienceKey, number>();
  readonly #running: Promise<void>;
  /** All that is not done. */
  readonly #ids = new Set<FanoutId>();
  #wake: (() => void) | null = null;
  #isStopping = false;

  constructor(parts: FanoutParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** How many are not done, of those it has been told of. */
  get waiting(): number {
    return this.#ids.size;
  }

  /** Takes up what is not done of a shard: when it becomes ours, before its log is read on. */
  async takeUp(shard: number): Promise<void> {
    let after: FanoutId | null = null;
    for (;;) {
      const page: readonly Pick<FanoutJob, 'id' | 'audience'>[] = await this.#parts.store.pending(
        shard,
        after,
        limits.fanoutsPerRead,
      );
      this.add(page.map(({ id, audience }) => ({ id, audience, shard })));
      after = page.at(-1)?.id ?? null;
      if (page.length < limits.fanoutsPerRead) return;
    }
  }

  /** Lets go of a shard that is ours no more. A chunk under way may still be written. */
  drop(shard: number): void {
    for (const [audience, jobs] of this.#waiting) {
      const left = jobs.filter((job) => job.shard !== shard);
      for (const job of jobs) if (job.shard === shard) this.#ids.delete(job.id);
      if (left.length > 0) this.#waiting.set(audience, left);
      else this.#waiting.delete(audience);
      if (this.#underWay.get(audience)?.job.shard === shard) this.#underWay.delete(audience);
    }
    this.#noteCount();
  }

  /** Fan-outs that have begun. Those it has been told of already are passed over. */
  add(jobs: readonly Waiting[]): void {
    for (const job of jobs) {
      const { id, audience, shard } = job;
      if (this.#ids.has(id)) continue;
      this.#ids.add(id);
      const queue = this.#waiting.get(audience);
      if (queue !== undefined) queue.push({ id, audience, shard });
      else {
        this.#waiting.set(audience, [{ id, audience, shard }]);
        this.#turns.add(audience);
      }
    }
    this.#noteCount();
    this.#wakeUp();
  }

  /** Finishes the chunk at hand. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#resting) cancel();
    this.#wakeUp();
    await this.#running;
    this.#ids.clear();
    this.#noteCount();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const [audience] = this.#turns;
      if (audience === undefined) await this.#sleep();
      else await this.#turn(audience);
    }
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #turn(audience: AudienceKey): Promise<void> {
    this.#turns.delete(audience);
    try {
      await this.#parts.room();
      if (this.#isStopping) return;
      const first = this.#waiting.get(audience)?.[0];
      if (first !== undefined) await this.#step(first);
      this.#failures.delete(audience);
      if (this.#waiting.has(audience)) this.#turns.add(audience);
    } catch (error) {
      this.#underWay.delete(audience);
      const isPaused = error instanceof AudiencePaused;
      this.#rest(audience, isPaused);
      if (isPaused) return;
      telemetry.add(metrics.failures);
      this.#parts.failed(error);
    }
  }

  /** One chunk. */
  async #step(waiting: Waiting): Promise<void> {
    const { store, source, broadcasting, append, shards, clock, chunkMembers } = this.#parts;
    const { audience } = waiting;
    const state = await this.#stateOf(waiting);
    if (state === null) {
      this.#done(waiting);
      return;
    }
    const { job, progress } = state;
    if (progress.chunks === 0 && (await broadcasting.isMeant(audience))) {
      await broadcasting.keep(job);
      await this.#advance(job, { ...progress, chunks: 1, kept: true });
      return;
    }
    const { after, kept } = progress;
    const { members, next } = kept
      ? await broadcasting.askedForPush(audience, after, chunkMembers)
      : await source.members(audience, after, chunkMembers);
    if (members.length > 0) await append(chunkRecords(job.record, members, shards));
    telemetry.add(metrics.chunks);
    telemetry.add(metrics.recipients, members.length);
    const reached = {
      after: next,
      chunks: progress.chunks + 1,
      recipients: progress.recipients + members.length,
      kept,
    };
    if (next === null) {
      await store.finish(job, reached, clock.now());
      telemetry.add(metrics.done);
      this.#done(waiting);
      return;
    }
    await this.#advance(job, reached);
  }

  async #advance(job: FanoutJob, progress: FanoutProgress): Promise<void> {
    await this.#parts.store.advance(job, progress);
    this.#underWay.set(job.audience, { job, progress });
  }

  async #stateOf({ id, audience }: Waiting): Promise<FanoutState | null> {
    const underWay = this.#underWay.get(audience);
    return underWay?.job.id === id ? underWay : this.#parts.store.load(id);
  }

  #done({ id, audience }: Waiting): void {
    this.#underWay.delete(audience);
    const queue = this.#waiting.get(audience);
    // It may have been let go of meanwhile.
    if (queue?.[0]?.id !== id) return;
    queue.shift();
    if (queue.length === 0) this.#waiting.delete(audience);
    this.#ids.delete(id);
    this.#noteCount();
  }

  /** Others go on meanwhile. */
  #rest(audience: AudienceKey, isPaused: boolean): void {
    if (this.#isStopping) return;
    const failures = this.#failures.get(audience) ?? 0;
    if (!isPaused) this.#failures.set(audience, failures + 1);
    const { first, last } = limits.fanoutRetryMs;
    const restMs = isPaused ? limits.fanoutPausedLookMs : Math.min(first * 2 ** failures, last);
    const cancel = this.#parts.clock.after(restMs, () => {
      this.#resting.delete(cancel);
      if (this.#waiting.has(audience)) this.#turns.add(audience);
      this.#wakeUp();
    });
    this.#resting.add(cancel);
  }

  #noteCount(): void {
    telemetry.set(metrics.waiting, this.#ids.size);
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
