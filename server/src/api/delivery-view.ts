/** Deliveries as operators see them: all that is on record, which holds a device's id and never its token or an address. */
import type { DeliveryJob, EndpointDelivery } from '@carillon/contract/deliveries.ts';
import { splitPersonKey } from '../base/ids.ts';
import { isoTime } from '../base/iso-time.ts';
import type { Delivery, Job } from '../deliver/delivery.ts';

export function deliveryJobView({ person, channel, lane, tells, deliveries, ...times }: Job): DeliveryJob {
  return {
    user: splitPersonKey(person).user,
    channel,
    lane,
    tellings: tells.map(({ notification, number }) => ({ notification, number })),
    decidedAt: isoTime(times.decidedAtMs),
    expiresAt: isoTime(times.expiresAtMs),
    deliveries: deliveries.map(endpointView),
  };
}

function endpointView({ endpoint, dueAtMs, attempts, ...delivery }: Delivery): EndpointDelivery {
  const { state, code, provider, providerId, redrives } = delivery;
  return {
    endpoint: endpoint === '' ? null : endpoint,
    state,
    code,
    provider,
    providerId,
    nextTryAt: dueAtMs === null ? null : isoTime(dueAtMs),
    attempts: attempts.map(({ atMs, outcome, ...attempt }) => ({
      at: isoTime(atMs),
      provider: attempt.provider,
      outcome,
      code: attempt.code,
      tookMs: attempt.tookMs,
    })),
    redrives,
  };
}
