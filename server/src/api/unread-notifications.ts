/** `POST /v1/notifications/unread`: makes single notifications unread again, also below a read mark (A1, I3). */
import { MarkByIds } from '@carillon/contract/inbox-requests.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { mark, markOperation } from './mark-notifications.ts';
import { defineOperation, type Operation } from './operation.ts';
import { possibleIds } from './parse-notification-id.ts';

export function unreadNotifications(inbox: InboxService): Operation {
  return defineOperation({
    ...markOperation,
    path: '/v1/notifications/unread',
    summary: 'Mark as unread',
    body: MarkByIds,
    handle: ({ principal, body }) => mark(inbox, principal, { kind: 'unread', ids: possibleIds(body.ids) }),
  });
}
