/** `POST /v1/notifications/unarchive`: brings archived notifications back (A1, I3). */
import { MarkByIds } from '@carillon/contract/inbox-requests.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { mark, markOperation } from './mark-notifications.ts';
import { defineOperation, type Operation } from './operation.ts';
import { possibleIds } from './parse-notification-id.ts';

export function unarchiveNotifications(inbox: InboxService): Operation {
  return defineOperation({
    ...markOperation,
    path: '/v1/notifications/unarchive',
    summary: 'Take out of the archive',
    body: MarkByIds,
    handle: ({ principal, body }) => mark(inbox, principal, { kind: 'unarchive', ids: possibleIds(body.ids) }),
  });
}
