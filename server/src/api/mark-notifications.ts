/**
 * What the marking operations share: the caller's own inbox is marked, ids it does not hold are passed over, and the
 * answer is the counts afterwards. Marks merge, so a repeated or late request does no harm (I3).
 */
import { CountsAnswer, type MarkThrough } from '@carillon/contract/inbox-requests.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { parseTime } from '../base/parse-time.ts';
import type { InboxService, MarkRequest } from '../inbox/inbox-service.ts';
import type { Answer } from './operation.ts';
import { possibleIds } from './parse-notification-id.ts';
import { personOf } from './person-of.ts';

/** Those parts of a marking operation that do not differ. */
export const markOperation = {
  method: 'POST',
  caller: 'user',
  idempotent: true,
  answers: { 200: CountsAnswer },
  errors: ['CARILLON_STORAGE_FULL'],
} as const;

export async function mark(inbox: InboxService, principal: UserPrincipal, request: MarkRequest): Promise<Answer> {
  const frame = await inbox.mark(personOf(principal), request);
  return { status: 200, body: { counts: frame.counts } };
}

/** `read` and `seen`: exactly one of ids, revision and time, as the schema has made sure. */
export function throughRequest(kind: 'read' | 'seen', body: MarkThrough): MarkRequest {
  if (body.ids !== undefined) return { kind, ids: possibleIds(body.ids) };
  if (body.through !== undefined) return { kind, through: body.through };
  return { kind, throughTimeMs: parseTime(body.throughTime as string) };
}
