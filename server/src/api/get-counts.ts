/** `GET /v1/notifications/counts`: unread and unseen, as the list can show them (A1, I4). */
import { Counts } from '@carillon/contract/notification.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';

export function getCounts(inbox: InboxService): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/notifications/counts',
    summary: 'Unread and unseen counts',
    caller: 'user',
    answers: { 200: Counts },
    errors: [],
    async handle({ principal }) {
      return { status: 200, body: await inbox.counts(personOf(principal)) };
    },
  });
}
