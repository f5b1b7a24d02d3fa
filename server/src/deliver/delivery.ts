/**
 * What became of something that was to be told to one person by one channel (V1): a job, with a delivery for each of the
 * person's endpoints. A job is named by what it tells of, so that the same telling, given again, is the same job.
 */
import { digest } from '../base/hash.ts';
import type { PersonKey } from '../base/ids.ts';
import type { DeliveryState } from './delivery-state.ts';
import type { OutcomeKind } from './outcome.ts';
import type { Dispatch, Telling } from './outward-channel.ts';

export const outwardChannels = ['push', 'email'] as const;
export type OutwardName = (typeof outwardChannels)[number];

export interface Attempt {
  readonly atMs: number;
  readonly provider: string;
  readonly outcome: OutcomeKind;
  /** The provider's, or ours where it gave none. */
  readonly code: string | null;
  readonly tookMs: number;
}

/** What goes to one endpoint. */
export interface Delivery {
  /** A device's id, or what stands for an address; empty where none was picked yet, or there was none to pick. */
  readonly endpoint: string;
  readonly provider: string | null;
  readonly state: DeliveryState;
  /** How often the state has changed: of two writes that with the greater one counts. */
  readonly version: number;
  /** Why it is in this state: a provider's code, or a reason of ours. */
  readonly code: string | null;
  /** The provider's name for it. */
  readonly providerId: string | null;
  /** While pending: when to look at it again; null: at once. */
  readonly dueAtMs: number | null;
  readonly attempts: readonly Attempt[];
  /** Of the attempts, those that an operator has forgiven by sending it again: they count no more. */
  readonly forgiven: number;
  /** How often an operator has sent it again. */
  readonly redrives: number;
}

export interface Job extends Dispatch {
  readonly channel: OutwardName;
  /** By endpoint, each once. Never empty once stored. */
  readonly deliveries: readonly Delivery[];
}

/** What a telling is to one channel of one person. */
export interface TellingKey extends Telling {
  readonly person: PersonKey;
  readonly channel: OutwardName;
}

/** As one text; ids of notifications hold no blanks, and belong to one person. */
export function tellingName({ channel, notification, number }: Omit<TellingKey, 'person'>): string {
  return `${notification} ${channel} ${number}`;
}

/** Of all that a job tells of. */
export function tellingNames({ tells, channel }: Pick<Job, 'tells' | 'channel'>): string[] {
  return tells.map((telling) => tellingName({ ...telling, channel }));
}

/** What a job is found by: what it tells of first. */
export function jobKey({ person, channel, tells }: Pick<Job, 'person' | 'channel' | 'tells'>): TellingKey {
  const [first] = tells;
  if (first === undefined) throw new Error('a job tells of nothing');
  return { person, channel, ...first };
}

export function jobName(job: Pick<Job, 'person' | 'channel' | 'tells'>): string {
  return tellingName(jobKey(job));
}

/** Names one delivery to providers: the same on every attempt. */
export function deliveryId(job: Pick<Job, 'person' | 'channel' | 'tells'>, endpoint: string): string {
  return `dl_${digest([job.person, jobName(job), endpoint], 22)}`;
}
