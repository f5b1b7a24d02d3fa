/** `POST /v1/notifications/snooze`: hides notifications until a time; one that has passed shows them again (A1, I3). */
import { Snooze } from '@carillon/contract/inbox-requests.ts';
import { parseTime } from '../base/parse-time.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { mark, markOperation } from './mark-notifications.ts';
import { defineOperation, type Operation } from './operation.ts';
import { possibleIds } from './parse-notification-id.ts';

export function snoozeNotifications(inbox: InboxService): Operation {
  return defineOperation({
    ...markOperation,
    path: '/v1/notifications/snooze',
    summary: 'Hide until a time',
    body: Snooze,
    handle: ({ principal, body }) =>
      mark(inbox, principal, {
        kind: 'snooze',
        ids: possibleIds(body.ids),
        untilMs: parseTime(body.until),
      }),
  });
}
