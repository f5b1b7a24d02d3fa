/** `GET /v1/admin/deliveries`: what became of what was to leave, by notification or by a provider's name for it (V1, A4). */
import { DeliveriesAnswer, DeliveriesQuery } from '@carillon/contract/deliveries.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { personKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import type { Job } from '../deliver/delivery.ts';
import type { DeliveryHistory } from '../deliver/delivery-store.ts';
import { deliveryJobView } from './delivery-view.ts';
import { defineOperation, type Operation } from './operation.ts';
import { possibleIds } from './parse-notification-id.ts';

export function listDeliveries(history: DeliveryHistory): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/deliveries',
    summary: 'What became of pushes and mails, by user and notification or by provider and its id',
    caller: 'operator',
    query: DeliveriesQuery,
    answers: { 200: DeliveriesAnswer },
    errors: [],
    async handle({ principal, query }) {
      const found = await jobsOf(history, principal.tenant, query);
      return { status: 200, body: { items: found.map(deliveryJobView) } };
    },
  });
}

async function jobsOf(history: DeliveryHistory, tenant: TenantId, query: DeliveriesQuery): Promise<readonly Job[]> {
  const { user, notification, provider, providerId } = query;
  if (user !== undefined && notification !== undefined) {
    const [id] = possibleIds([notification]);
    return id === undefined ? [] : history.ofNotification(personKey(tenant, user), id);
  }
  if (provider !== undefined && providerId !== undefined) {
    const job = await history.byProviderId(provider, providerId);
    // A provider's names know no tenants.
    return job === null || splitPersonKey(job.person).tenant !== tenant ? [] : [job];
  }
  const detail = 'must come as `user` and `notification`, or as `provider` and `providerId`';
  throw new CarillonError('CARILLON_REQUEST_INVALID', 'The query does not say which deliveries are meant.', {
    fields: [{ path: 'query', detail }],
  });
}
