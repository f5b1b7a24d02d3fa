/** `GET /v1/notifications/{id}/why`: what was decided for each channel, why, and what became of it (A1, D12, V1). */
import { NotificationParams, WhyAnswer } from '@carillon/contract/inbox-requests.ts';
import type { DeliveryHistory } from '../deliver/delivery-store.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import type { LocaleOf } from './locale-of.ts';
import { defineOperation, type Operation } from './operation.ts';
import { ownDeliveries } from './own-deliveries.ts';
import { parseNotificationId } from './parse-notification-id.ts';
import { personOf } from './person-of.ts';

/** `history`: null where nothing leaves. */
export function explainNotification(
  inbox: InboxService,
  localeOf: LocaleOf,
  history: DeliveryHistory | null,
): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/notifications/:id/why',
    summary: 'Why the person was told, and why not by other channels',
    caller: 'user',
    params: NotificationParams,
    answers: { 200: WhyAnswer },
    errors: ['CARILLON_NOTIFICATION_UNKNOWN'],
    async handle({ principal, params, headers }) {
      const locale = localeOf(headers['accept-language']);
      const id = parseNotificationId(params.id);
      const person = personOf(principal);
      const why = await inbox.why(person, id, locale);
      const jobs = (await history?.ofNotification(person, id)) ?? [];
      return { status: 200, body: { ...why, deliveries: ownDeliveries(jobs) } };
    },
  });
}
