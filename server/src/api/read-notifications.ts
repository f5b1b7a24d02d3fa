/** `POST /v1/notifications/read`: by ids, or everything through a revision or time (A1, I3). */
import { MarkThrough } from '@carillon/contract/inbox-requests.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { mark, markOperation, throughRequest } from './mark-notifications.ts';
import { defineOperation, type Operation } from './operation.ts';

export function readNotifications(inbox: InboxService): Operation {
  return defineOperation({
    ...markOperation,
    path: '/v1/notifications/read',
    summary: 'Mark as read',
    body: MarkThrough,
    handle: ({ principal, body }) => mark(inbox, principal, throughRequest('read', body)),
  });
}
