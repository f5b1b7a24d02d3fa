/** `GET /v1/admin/decisions`: what was decided on a person's events lately, also on those that left no row (D1, D12). */
import { DecisionsAnswer, DecisionsQuery } from '@carillon/contract/inbox-requests.ts';
import { personKey } from '../base/ids.ts';
import { isoTime } from '../base/iso-time.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { defineOperation, type Operation } from './operation.ts';

export function listDecisions(inbox: InboxService): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/decisions',
    summary: 'Why something came to a person, or did not',
    caller: 'operator',
    query: DecisionsQuery,
    answers: { 200: DecisionsAnswer },
    errors: [],
    async handle({ principal, query }) {
      const { user, event = null } = query;
      const found = await inbox.decisions(personKey(principal.tenant, user), event);
      const items = found.map(({ source, id, type, timeMs, notification, decisions }) => ({
        event: { source, id, type, time: isoTime(timeMs) },
        notification,
        decisions: [...decisions],
      }));
      return { status: 200, body: { items } };
    },
  });
}
