/** `GET /v1/notifications/{id}/why`: what was decided for each channel, and the reason in plain words (A1, D12). */
import { NotificationParams, WhyAnswer } from '@carillon/contract/inbox-requests.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import type { LocaleOf } from './locale-of.ts';
import { defineOperation, type Operation } from './operation.ts';
import { parseNotificationId } from './parse-notification-id.ts';
import { personOf } from './person-of.ts';

export function explainNotification(inbox: InboxService, localeOf: LocaleOf): Operation {
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
      return { status: 200, body: await inbox.why(personOf(principal), id, locale) };
    },
  });
}
