/**
 * Port: fan-outs that are under way, and those lately done (F1).
 *
 * Durability: as positions of the log are: what is resolved survives the loss of the process; what the loss of the machine
 *   takes, the log brings again. `begin` comes before the position moves beyond the event, so that none is forgotten.
 * Idempotency: beginning one again that is known, done or not, has no effect.
 */
import { type AudienceKey, splitAudienceKey } from '../base/ids.ts';
import type { FanoutId, FanoutJob, FanoutProgress } from './fanout-job.ts';

export interface FanoutState {
  readonly job: FanoutJob;
  readonly progress: FanoutProgress;
}

/** What an operator sees. */
export interface FanoutSummary extends Omit<FanoutJob, 'record' | 'shard'>, Omit<FanoutProgress, 'after'> {
  /** When it was done; null while it is under way. */
  readonly doneMs: number | null;
}

export interface FanoutsOf {
  readonly tenant: string;
  /** Null is any. */
  readonly audience: AudienceKey | null;
}

export interface FanoutStore {
  /** Answers those that were not known yet, in order. */
  begin(jobs: readonly FanoutJob[]): Promise<readonly FanoutJob[]>;
  /** Null where it is done, or was never begun. */
  load(id: FanoutId): Promise<FanoutState | null>;
  /** Those of a shard that are not done, oldest first, behind `after`. */
  pending(shard: number, after: FanoutId | null, max: number): Promise<readonly Pick<FanoutJob, 'id' | 'audience'>[]>;
  advance(job: FanoutJob, progress: FanoutProgress): Promise<void>;
  finish(job: FanoutJob, progress: FanoutProgress, doneMs: number): Promise<void>;
  /** How many are not done, counted up to `max`. */
  waiting(max: number): Promise<number>;
  /** Of one tenant, or one audience of it: those under way, oldest first, then of those lately done, newest first. */
  list(of: FanoutsOf, max: number): Promise<readonly FanoutSummary[]>;
  /** Forgets some that were done before a time. Answers how many; 0 when none is left. */
  prune(beforeMs: number): Promise<number>;
}

export function summaryOf(
  job: FanoutJob,
  { chunks, recipients, kept }: FanoutProgress,
  doneMs: number | null,
): FanoutSummary {
  const { id, audience, source, event, acceptedMs } = job;
  return { id, audience, source, event, acceptedMs, chunks, recipients, kept, doneMs };
}

export function isOf({ audience }: { readonly audience: AudienceKey }, of: FanoutsOf): boolean {
  return of.audience === null ? splitAudienceKey(audience).tenant === of.tenant : audience === of.audience;
}
