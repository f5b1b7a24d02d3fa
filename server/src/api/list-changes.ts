/** `GET /v1/notifications/changes?since`: what a client missed since a revision, or that it must load again (A1, I5). */
import { ChangesQuery } from '@carillon/contract/inbox-requests.ts';
import { ChangesFrame, ResyncFrame } from '@carillon/contract/stream.ts';
import { Type } from 'typebox';
import type { InboxService } from '../inbox/inbox-service.ts';
import type { LocaleOf } from './locale-of.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';

export function listChanges(inbox: InboxService, localeOf: LocaleOf): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/notifications/changes',
    summary: 'Changes since a revision, or a request to load the inbox again',
    caller: 'user',
    query: ChangesQuery,
    answers: { 200: Type.Union([ChangesFrame, ResyncFrame]) },
    errors: [],
    async handle({ principal, query, headers }) {
      const locale = localeOf(headers['accept-language']);
      return { status: 200, body: await inbox.changes(personOf(principal), query.since, locale) };
    },
  });
}
