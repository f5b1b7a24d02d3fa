/**
 * A stored job: a format number and JSON of arrays, since hundreds of millions are kept. Every release reads the formats
 * before its own (R4).
 */
import type { NotificationId, PersonKey } from '../base/ids.ts';
import type { Attempt, Delivery, Job } from './delivery.ts';

const format = 1;

type StoredAttempt = [Attempt['atMs'], string, Attempt['outcome'], string | null, number];
type StoredDelivery = [
  string,
  string | null,
  Delivery['state'],
  number,
  string | null,
  string | null,
  number | null,
  StoredAttempt[],
  number,
  number,
];
type StoredJob = [
  typeof format,
  string,
  Job['channel'],
  Job['lane'],
  Job['moment'],
  number,
  number,
  (string | number)[],
  StoredDelivery[],
];

export function encodeJob(job: Job): string {
  const tells = job.tells.flatMap(({ notification, number }) => [notification, number]);
  const { person, channel, lane, moment, decidedAtMs, expiresAtMs } = job;
  const deliveries = job.deliveries.map(storedDelivery);
  return JSON.stringify([
    format,
    person,
    channel,
    lane,
    moment,
    decidedAtMs,
    expiresAtMs,
    tells,
    deliveries,
  ] satisfies StoredJob);
}

export function decodeJob(text: string): Job {
  const [stored, person, channel, lane, moment, decidedAtMs, expiresAtMs, told, sent] = JSON.parse(text) as StoredJob;
  if (stored !== format) throw new Error(`a delivery is stored in format ${stored}, this release reads ${format}`);
  const tells = Array.from({ length: told.length / 2 }, (_, at) => ({
    notification: told[at * 2] as NotificationId,
    number: told[at * 2 + 1] as number,
  }));
  const deliveries = sent.map(deliveryOf);
  return { person: person as PersonKey, channel, lane, moment, decidedAtMs, expiresAtMs, tells, deliveries };
}

/** One delivery alone, where a store keeps each in a row of its own. */
export function encodeDelivery(delivery: Delivery): string {
  return JSON.stringify(storedDelivery(delivery));
}

export function decodeDelivery(text: string): Delivery {
  return deliveryOf(JSON.parse(text) as StoredDelivery);
}

function storedDelivery(delivery: Delivery): StoredDelivery {
  const { endpoint, provider, state, version, code, providerId, dueAtMs, forgiven, redrives } = delivery;
  const attempts = delivery.attempts.map((attempt): StoredAttempt => {
    return [attempt.atMs, attempt.provider, attempt.outcome, attempt.code, attempt.tookMs];
  });
  return [endpoint, provider, state, version, code, providerId, dueAtMs, attempts, forgiven, redrives];
}

function deliveryOf(stored: StoredDelivery): Delivery {
  const [endpoint, provider, state, version, code, providerId, dueAtMs, tries, forgiven, redrives] = stored;
  const attempts = tries.map(([atMs, by, outcome, why, tookMs]) => ({
    atMs,
    provider: by,
    outcome,
    code: why,
    tookMs,
  }));
  return { endpoint, provider, state, version, code, providerId, dueAtMs, attempts, forgiven, redrives };
}
