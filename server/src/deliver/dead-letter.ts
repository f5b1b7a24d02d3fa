/** What makes a delivery a dead letter, and which of them a filter means. Pure. */
import { splitPersonKey } from '../base/ids.ts';
import type { DeadLetter, DeadLetterFilter } from './dead-letter-store.ts';
import { type Delivery, type Job, jobName } from './delivery.ts';
import { attemptsOf } from './delivery-steps.ts';

/**
 * Null: it has ended well, or there is nobody to send it to any more. That an endpoint is gone is no fault to mend.
 */
export function deadLetterOf(job: Job, delivery: Delivery, nowMs: number): DeadLetter | null {
  const { state, endpoint, provider, code, version, attempts } = delivery;
  if (state !== 'failed' && state !== 'unknown') return null;
  if (attempts.at(-1)?.outcome === 'gone') return null;
  const { person, channel } = job;
  const about = { person, channel, endpoint, state, provider, code, version };
  return { name: deadName(job, endpoint), ...about, attempts: attemptsOf(delivery), diedAtMs: nowMs };
}

export function deadName(job: Pick<Job, 'person' | 'channel' | 'tells'>, endpoint: string): string {
  return `${jobName(job)} ${endpoint}`;
}

export function isMeant(letter: DeadLetter, filter: DeadLetterFilter): boolean {
  const { user, ...others } = filter;
  if (user !== undefined && splitPersonKey(letter.person).user !== user) return false;
  return Object.entries(others).every(
    ([key, value]) => value === undefined || letter[key as keyof DeadLetter] === value,
  );
}
