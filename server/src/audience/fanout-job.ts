/**
 * One event on its way to an audience: what it is, and how far it has come. The record is that of the log, kept until the
 * fan-out is done, so that the log may be trimmed meanwhile.
 */
import { digest } from '../base/hash.ts';
import { type AudienceKey, audienceKey } from '../base/ids.ts';
import { audienceOf } from '../log/audience-of.ts';
import type { RecordView } from '../log/record.ts';

/** Sorts by intake. */
export type FanoutId = string;

export interface FanoutJob {
  readonly id: FanoutId;
  /** The shard in whose log the event lies; whoever owns it does the work. */
  readonly shard: number;
  readonly audience: AudienceKey;
  readonly source: string;
  readonly event: string;
  readonly acceptedMs: number;
  readonly record: Buffer;
}

export interface FanoutProgress {
  /** Where reading of members goes on; null at the start. */
  readonly after: string | null;
  readonly chunks: number;
  /** People written to the log so far. */
  readonly recipients: number;
  /** It is a broadcast: kept once for the audience, and written to those only who asked to be pushed (F3). */
  readonly kept: boolean;
}

export const notBegun: FanoutProgress = { after: null, chunks: 0, recipients: 0, kept: false };

const timeDigits = 9;

/** The same record always makes the same job. */
export function toJob(record: RecordView): FanoutJob {
  const { tenant, shard, acceptedMs } = record;
  const audience = audienceOf(record);
  const [source, event] = [record.text('source'), record.text('id')];
  const time = Math.max(0, Math.trunc(acceptedMs)).toString(36).padStart(timeDigits, '0');
  const id = `f_${time}${digest([tenant, source, event, audience], 16)}`;
  return { id, shard, audience: audienceKey(tenant, audience), source, event, acceptedMs, record: record.copy() };
}
