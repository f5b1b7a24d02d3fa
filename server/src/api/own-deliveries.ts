/**
 * What became of a notification outside the inbox, as its person is told: for each time and endpoint one plain word.
 * That a provider took it is never called more than a hand-over: nobody need have seen it (V1).
 */
import type { OwnDelivery } from '@carillon/contract/deliveries.ts';
import { isoTime } from '../base/iso-time.ts';
import type { Job } from '../deliver/delivery.ts';
import type { DeliveryState } from '../deliver/delivery-state.ts';

const words: Readonly<Record<DeliveryState, OwnDelivery['state']>> = {
  pending: 'waiting',
  dispatched: 'underWay',
  accepted: 'handedOver',
  failed: 'failed',
  suppressed: 'notSent',
  expired: 'tooLate',
  unknown: 'uncertain',
};

export function ownDeliveries(jobs: readonly Job[]): OwnDelivery[] {
  return jobs.flatMap(({ channel, decidedAtMs, deliveries }) =>
    deliveries.map(({ endpoint, state }) => ({
      channel,
      endpoint: endpoint === '' ? null : endpoint,
      state: words[state],
      decidedAt: isoTime(decidedAtMs),
    })),
  );
}
