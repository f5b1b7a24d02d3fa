/** `POST /v1/notifications/archive`: takes notifications out of the list and the counts (A1, I3). */
import { MarkByIds } from '@carillon/contract/inbox-requests.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { mark, markOperation } from './mark-notifications.ts';
import { defineOperation, type Operation } from './operation.ts';
import { possibleIds } from './parse-notification-id.ts';

export function archiveNotifications(inbox: InboxService): Operation {
  return defineOperation({
    ...markOperation,
    path: '/v1/notifications/archive',
    summary: 'Archive',
    body: MarkByIds,
    handle: ({ principal, body }) => mark(inbox, principal, { kind: 'archive', ids: possibleIds(body.ids) }),
  });
}
