/** `GET /v1/notifications/{id}/actors`: everyone in a group, by pages; the notification itself shows three (A1, D5). */
import { ActorsPage, ActorsQuery, NotificationParams } from '@carillon/contract/inbox-requests.ts';
import { limits } from '../base/limits.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { defineOperation, type Operation } from './operation.ts';
import { pageAnswer } from './page-answer.ts';
import { parseNotificationId } from './parse-notification-id.ts';
import { personOf } from './person-of.ts';

export function listActors(inbox: InboxService): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/notifications/:id/actors',
    summary: 'The people of a notification, newest first',
    caller: 'user',
    params: NotificationParams,
    query: ActorsQuery,
    answers: { 200: ActorsPage },
    errors: ['CARILLON_NOTIFICATION_UNKNOWN', 'CARILLON_CURSOR_INVALID'],
    async handle({ principal, params, query }) {
      const limit = query.limit ?? limits.pageRowsDefault;
      const id = parseNotificationId(params.id);
      const page = await inbox.actors(personOf(principal), id, query.cursor ?? null, limit);
      return pageAnswer(page, `/v1/notifications/${id}/actors`, query);
    },
  });
}
