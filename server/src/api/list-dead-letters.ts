/** `GET /v1/admin/dead-letters`: deliveries that ended without their provider having them, the oldest first (V5). */
import { DeadLetterList, DeadLetterQuery } from '@carillon/contract/dead-letters.ts';
import { splitPersonKey } from '../base/ids.ts';
import { isoTime } from '../base/iso-time.ts';
import type { DeadLetter } from '../deliver/dead-letter-store.ts';
import type { DeadLetterService } from '../deliver/dead-letters.ts';
import { defineOperation, type Operation } from './operation.ts';

const usual = 100;

export function listDeadLetters(letters: DeadLetterService): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/dead-letters',
    summary: 'Deliveries that ended without their provider having them',
    caller: 'operator',
    query: DeadLetterQuery,
    answers: { 200: DeadLetterList },
    errors: [],
    async handle({ principal: { tenant }, query: { limit = usual, cursor = null, ...filter } }) {
      const [found, count] = await Promise.all([
        letters.page(tenant, filter, cursor, limit),
        letters.count(tenant, filter),
      ]);
      const nextCursor = found.length < limit ? null : (found.at(-1)?.name ?? null);
      return { status: 200, body: { items: found.map(view), count, nextCursor } };
    },
  });
}

function view({ person, name, diedAtMs, ...letter }: DeadLetter) {
  const { channel, endpoint, provider, state, code, attempts } = letter;
  const { user } = splitPersonKey(person);
  const notification = name.slice(0, name.indexOf(' '));
  return { user, notification, channel, endpoint, provider, state, code, attempts, diedAt: isoTime(diedAtMs) };
}
