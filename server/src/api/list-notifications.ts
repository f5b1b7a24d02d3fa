/** `GET /v1/notifications`: one page of the inbox, newest activity first (A1, I2). */
import { NotificationQuery } from '@carillon/contract/inbox-requests.ts';
import { NotificationPage } from '@carillon/contract/notification.ts';
import { limits } from '../base/limits.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import type { LocaleOf } from './locale-of.ts';
import { defineOperation, type Operation } from './operation.ts';
import { nextLink } from './page-answer.ts';
import { personOf } from './person-of.ts';

const path = '/v1/notifications';

export function listNotifications(inbox: InboxService, localeOf: LocaleOf): Operation {
  return defineOperation({
    method: 'GET',
    path,
    summary: 'One page of the inbox, newest activity first',
    caller: 'user',
    query: NotificationQuery,
    answers: { 200: NotificationPage },
    errors: ['CARILLON_CURSOR_INVALID'],
    async handle({ principal, query, headers }) {
      const { json, nextCursor } = await inbox.pageText(personOf(principal), {
        limit: query.limit ?? limits.pageRowsDefault,
        cursor: query.cursor ?? null,
        type: query.type ?? null,
        category: query.category ?? null,
        state: query.state ?? null,
        locale: localeOf(headers['accept-language']),
      });
      return {
        status: 200,
        headers: nextLink(nextCursor, path, query),
        body: Buffer.from(json.buffer, json.byteOffset, json.byteLength),
      };
    },
  });
}
