/** The inbox API (A1): one line per operation. */
import type { DeliveryHistory } from '../deliver/delivery-store.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { archiveNotifications } from './archive-notifications.ts';
import { explainNotification } from './explain-notification.ts';
import { getCounts } from './get-counts.ts';
import { getNotification } from './get-notification.ts';
import { listActors } from './list-actors.ts';
import { listChanges } from './list-changes.ts';
import { listDecisions } from './list-decisions.ts';
import { listNotifications } from './list-notifications.ts';
import type { LocaleOf } from './locale-of.ts';
import type { Operation } from './operation.ts';
import { readNotifications } from './read-notifications.ts';
import { seeNotifications } from './see-notifications.ts';
import { snoozeNotifications } from './snooze-notifications.ts';
import { unarchiveNotifications } from './unarchive-notifications.ts';
import { unreadNotifications } from './unread-notifications.ts';

export function inboxOperations(
  inbox: InboxService,
  localeOf: LocaleOf = () => null,
  history: DeliveryHistory | null = null,
): Operation[] {
  return [
    listNotifications(inbox, localeOf),
    getCounts(inbox),
    listChanges(inbox, localeOf),
    getNotification(inbox, localeOf),
    explainNotification(inbox, localeOf, history),
    listDecisions(inbox),
    listActors(inbox),
    readNotifications(inbox),
    seeNotifications(inbox),
    unreadNotifications(inbox),
    archiveNotifications(inbox),
    unarchiveNotifications(inbox),
    snoozeNotifications(inbox),
  ];
}
