/** `GET /v1/notifications/{id}`: one notification of the caller's own (A1). */
import { NotificationParams } from '@carillon/contract/inbox-requests.ts';
import { Notification } from '@carillon/contract/notification.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import type { LocaleOf } from './locale-of.ts';
import { defineOperation, type Operation } from './operation.ts';
import { parseNotificationId } from './parse-notification-id.ts';
import { personOf } from './person-of.ts';

export function getNotification(inbox: InboxService, localeOf: LocaleOf): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/notifications/:id',
    summary: 'One notification',
    caller: 'user',
    params: NotificationParams,
    answers: { 200: Notification },
    errors: ['CARILLON_NOTIFICATION_UNKNOWN'],
    async handle({ principal, params, headers }) {
      const locale = localeOf(headers['accept-language']);
      const id = parseNotificationId(params.id);
      return { status: 200, body: await inbox.notification(personOf(principal), id, locale) };
    },
  });
}
