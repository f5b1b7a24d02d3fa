/**
 * Port: when a delivery is to be looked at again, by shard: what deliveries need of a timer store, whose promises are in
 * `shard/timer-store.ts`. Those of each channel are apart from all others.
 */
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';

export interface RetryKey {
  readonly id: string;
  readonly dueMs: number;
  readonly revision: Revision;
}

export interface RetryTimer extends RetryKey {
  readonly person: PersonKey;
  readonly data: string;
}

export interface RetryTimers {
  open(shard: number): Promise<void>;
  write(
    shard: number,
    change: { readonly set?: readonly (RetryTimer & { kind: 'retry' })[]; readonly done?: readonly RetryKey[] },
  ): Promise<void>;
  due(shard: number, nowMs: number, max: number): Promise<readonly RetryTimer[]>;
  nextDueMs(shard: number): Promise<number | null>;
}

/** What a delivery's timer is for: a telling's name, and an endpoint. */
export function timedTelling(data: string): { notification: NotificationId; number: number; endpoint: string } {
  const [notification = '', , number = '', endpoint = ''] = data.split(' ');
  return { notification: notification as NotificationId, number: Number(number), endpoint };
}
