/**
 * Port: broadcasts, which are events that are kept once for a large audience, and how far each person's inbox has them
 * (F3). Within a tenant they have numbers that rise.
 *
 * Order: a number is visible before any greater one of its tenant is: whoever has looked at all up to the newest has
 *   missed none.
 * Durability: as that of fan-outs: what is resolved survives the loss of the process. `keep` comes before the progress of
 *   its fan-out is noted, so that none is forgotten.
 * Idempotency: keeping one again that is known has no effect. How far a person has them only grows.
 */
import type { AudienceKey, PersonKey, TenantId } from '../base/ids.ts';
import type { FanoutId } from './fanout-job.ts';

export interface Broadcast {
  /** Of its fan-out. */
  readonly id: FanoutId;
  readonly audience: AudienceKey;
  /** Of the event. */
  readonly type: string;
  readonly acceptedMs: number;
}

export interface NumberedBroadcast extends Broadcast {
  readonly number: number;
}

export interface BroadcastStore {
  /** Answers its number. `record`: that of the log. */
  keep(broadcast: Broadcast, record: Buffer): Promise<number>;
  /** The greatest number of a tenant, whether or not it is still kept; 0 before the first. */
  newest(tenant: TenantId): Promise<number>;
  /** The newest of a tenant, at most `max`, in their order. */
  recent(tenant: TenantId, max: number): Promise<readonly NumberedBroadcast[]>;
  /** Those of some audiences of one tenant with greater numbers than `after`: the newest, at most `max`, in their order. */
  ofAudiences(audiences: readonly AudienceKey[], after: number, max: number): Promise<readonly NumberedBroadcast[]>;
  /** By number; those that are not kept any more are left out. */
  records(tenant: TenantId, numbers: readonly number[]): Promise<ReadonlyMap<number, Buffer>>;
  /** The number through which each person's inbox has them, in their order; 0 for whoever has none yet. */
  through(people: readonly PersonKey[]): Promise<readonly number[]>;
  advance(people: readonly PersonKey[], through: number): Promise<void>;
  /** Forgets some that were accepted before a time. Answers how many; 0 when none is left. */
  prune(beforeMs: number): Promise<number>;
}
