/**
 * Keeps what a worker does on record, in an order that a crash anywhere does not spoil:
 *
 *   timers of what waits, dead letters ──▶ jobs, and the positions that are done with them ──▶ timers that are done
 *
 * So there may be a timer too many, never one too few; and the log is read on from before the first job that has a
 * delivery in somebody's hands. What changes between two writes is written at once.
 */
import type { Clock } from '../base/clock.ts';
import type { Revision } from '../base/ids.ts';
import { nextRevision } from '../base/revision.ts';
import type { Position } from '../log/event-log.ts';
import { deadLetterOf, deadName } from './dead-letter.ts';
import type { DeadLetter, DeadLetterStore } from './dead-letter-store.ts';
import type { Job, OutwardName } from './delivery.ts';
import type { DeliveryListener } from './delivery-listener.ts';
import { isSettled } from './delivery-state.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { JobRun, Pulled } from './job-run.ts';
import type { RetryKey, RetryTimers } from './retry-timers.ts';

export interface LedgerParts {
  readonly channel: OutwardName;
  readonly shard: number;
  readonly store: DeliveryStore;
  readonly timers: RetryTimers;
  readonly deadLetters: DeadLetterStore;
  readonly clock: Clock;
  readonly listener: DeliveryListener;
}

export class Ledger {
  readonly #parts: LedgerParts;
  readonly #changed = new Set<JobRun>();
  #pulls: Pulled[] = [];
  /** What they led to is written. */
  readonly #done: RetryKey[] = [];
  #positions: readonly Position[] | null = null;
  #nextDueMs = Number.POSITIVE_INFINITY;
  /** Of the last timer: later ones count. */
  #revision: Revision = 0;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  get hasChanges(): boolean {
    return this.#changed.size + this.#done.length > 0 || this.#pulls[0]?.left === 0;
  }

  pulled(pulled: Pulled): void {
    this.#pulls.push(pulled);
  }

  changed(run: JobRun): void {
    this.#changed.add(run);
  }

  /**
   * Writes what has changed, and answers the jobs that are in nobody's hands any more. Rejects with nothing forgotten; what
   * changes meanwhile is in the next.
   */
  async write(): Promise<readonly JobRun[]> {
    const taken = [...this.#changed].map((run) => ({ run, job: run.job, endpoints: run.changed }));
    this.#changed.clear();
    for (const { run } of taken) run.changed = new Set();
    try {
      return await this.#write(taken);
    } catch (error) {
      for (const { run, endpoints } of taken) {
        run.changed = run.changed.union(endpoints);
        this.#changed.add(run);
      }
      throw error;
    }
  }

  async #write(taken: readonly Taken[]): Promise<readonly JobRun[]> {
    const { channel, shard, store, timers, deadLetters } = this.#parts;
    this.#revision = nextRevision(this.#revision, this.#parts.clock.now());
    const set = taken.flatMap((each) => retriesOf(each, this.#revision));
    this.#nextDueMs = Math.min(...set.map(({ dueMs }) => dueMs));
    if (set.length > 0) await timers.write(shard, { set });
    const ended = taken.flatMap(({ run, job }) => (hasEnded(run, job) ? [run] : []));
    const whole = this.#pullsDoneWith(ended);
    const positions = this.#pulls[whole - 1]?.positions ?? null;
    const dead = taken.flatMap((each) => this.#deadOf(each));
    if (dead.length > 0) await deadLetters.put(dead);
    await store.write({ channel, shard, jobs: taken.map(({ job }) => job), positions });
    const raised = taken.flatMap(raisedOf);
    if (raised.length > 0) await deadLetters.remove(raised);
    for (const run of ended) {
      if (run.pulled !== null) run.pulled.left--;
      run.pulled = null;
    }
    this.#pulls = this.#pulls.slice(whole);
    if (positions !== null) this.#positions = positions;
    for (const run of ended) this.#done.push(...run.done.splice(0));
    this.#tell(taken);
    const done = [...this.#done];
    if (done.length > 0) await timers.write(shard, { done });
    this.#done.splice(0, done.length);
    return ended;
  }

  #deadOf({ job, endpoints }: Taken): DeadLetter[] {
    return job.deliveries.flatMap((delivery) => {
      if (!endpoints.has(delivery.endpoint)) return [];
      return deadLetterOf(job, delivery, this.#parts.clock.now()) ?? [];
    });
  }

  #tell(taken: readonly Taken[]): void {
    const { channel, listener, clock } = this.#parts;
    for (const { job, endpoints } of taken) {
      for (const { endpoint, state, code, dueAtMs } of job.deliveries) {
        if (!endpoints.has(endpoint)) continue;
        if (isSettled(state)) listener.ended({ channel, state, code, sinceMs: clock.now() - job.decidedAtMs });
        else if (dueAtMs !== null) listener.putOff(channel);
      }
    }
  }

  /** How many pulls from the first on are done once these runs are written. */
  #pullsDoneWith(ended: readonly JobRun[]): number {
    const ending = new Map<Pulled, number>();
    for (const { pulled } of ended) if (pulled !== null) ending.set(pulled, (ending.get(pulled) ?? 0) + 1);
    const behind = this.#pulls.findIndex((pulled) => pulled.left > (ending.get(pulled) ?? 0));
    return behind === -1 ? this.#pulls.length : behind;
  }

  /** When the first is due of what was put off with the last write; infinite: nothing was. */
  get nextDueMs(): number {
    return this.#nextDueMs;
  }

  /** Stored, by lane; null: nothing was done yet. */
  get positions(): readonly Position[] | null {
    return this.#positions;
  }
}

interface Taken {
  readonly run: JobRun;
  /** As it is written. */
  readonly job: Job;
  readonly endpoints: ReadonlySet<string>;
}

/** Nothing of it is in anybody's hands, as it is written. */
function hasEnded({ active }: JobRun, { deliveries }: Job): boolean {
  return active.size === 0 && deliveries.every(({ state, dueAtMs }) => isSettled(state) || dueAtMs !== null);
}

/** Of what was sent again, and has ended otherwise than dead. */
function raisedOf({ job, endpoints }: Taken) {
  return job.deliveries.flatMap(({ state, endpoint, redrives }) => {
    const isRaised = redrives > 0 && endpoints.has(endpoint);
    const hasEnded = isSettled(state) && state !== 'failed' && state !== 'unknown';
    return isRaised && hasEnded ? [{ person: job.person, name: deadName(job, endpoint) }] : [];
  });
}

function retriesOf({ run, job, endpoints }: Taken, revision: Revision) {
  return job.deliveries.flatMap(({ state, dueAtMs, endpoint }) => {
    if (state !== 'pending' || dueAtMs === null || !endpoints.has(endpoint)) return [];
    const data = `${run.name} ${endpoint}`;
    const id = data.replaceAll(' ', '.');
    return [{ id, dueMs: dueAtMs, revision, person: job.person, kind: 'retry' as const, data }];
  });
}
