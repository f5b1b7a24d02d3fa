/**
 * `POST /v1/admin/dead-letters/redrive`: sends dead letters again, as many as asked for at a time, or says what would
 * become of them (V5). Each is looked at as for the first time.
 */
import { RedriveAnswer, RedriveRequest } from '@carillon/contract/dead-letters.ts';
import type { DeadLetterService } from '../deliver/dead-letters.ts';
import { defineOperation, type Operation } from './operation.ts';

const usual = 1000;

export function redriveDeadLetters(letters: DeadLetterService): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/admin/dead-letters/redrive',
    summary: 'Send dead letters again, or ask what would become of them',
    caller: 'operator',
    body: RedriveRequest,
    answers: { 200: RedriveAnswer },
    errors: ['CARILLON_STORAGE_FULL', 'CARILLON_LOG_UNAVAILABLE'],
    async handle({ principal: { tenant }, body }) {
      const { filter, dryRun: isDryRun = false, limit: max = usual, cursor: after = null } = body;
      const { sent, skipped, next } = await letters.redrive(tenant, { filter, isDryRun, after, max });
      return { status: 200, body: { sent, skipped: { ...skipped }, nextCursor: next } };
    },
  });
}
