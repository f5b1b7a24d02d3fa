/** `carillon dlq`: looks at dead letters of a running service, counts them, and sends them again (V5, O2). */
import type { DeadLetter, DeadLetterList, RedriveAnswer } from '@carillon/contract/dead-letters.ts';
import type { Clock } from './base/clock.ts';
import { limits } from './base/limits.ts';
import { connect } from './running-service.ts';

export type DlqWish = 'list' | 'count' | 'redrive';

export interface DlqRequest {
  readonly what: DlqWish;
  /** As the API takes it; what is undefined is not asked for. */
  readonly filter: Readonly<Record<string, string | undefined>>;
  readonly isDryRun: boolean;
  readonly url: string;
  readonly token: string | undefined;
  readonly isJson: boolean;
  readonly clock: Clock;
}

const path = '/v1/admin/dead-letters';

/** Lines to print. Throws an error whose message is for the reader. */
export async function* runDlq(request: DlqRequest): AsyncIterable<string> {
  const { what, url, token, isJson, isDryRun, clock } = request;
  const service = await connect(url, token);
  const filter = Object.entries(request.filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (what === 'redrive') {
    const total = { sent: 0, skipped: {} as Record<string, number> };
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      // So that what is sent again never crowds out what is new.
      if (!isFirst && !isDryRun) await new Promise<void>((resolve) => clock.after(limits.redriveEveryMs, resolve));
      const body = { filter: Object.fromEntries(filter), dryRun: isDryRun, ...(cursor !== null && { cursor }) };
      const part = (await service.ask('POST', `${path}/redrive`, JSON.stringify(body))) as RedriveAnswer;
      total.sent += part.sent;
      for (const [reason, count] of Object.entries(part.skipped)) {
        total.skipped[reason] = (total.skipped[reason] ?? 0) + count;
      }
      cursor = part.nextCursor;
    }
    yield isJson ? JSON.stringify(total) : sentence(total, isDryRun);
    return;
  }
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const query = new URLSearchParams([...filter, ['limit', what === 'count' ? '1' : '1000']]);
    if (cursor !== null) query.set('cursor', cursor);
    const page = (await service.ask('GET', `${path}?${query}`)) as DeadLetterList;
    if (what === 'count') {
      yield isJson ? JSON.stringify({ count: page.count }) : String(page.count);
      return;
    }
    for (const letter of page.items) yield isJson ? JSON.stringify(letter) : lineOf(letter);
    cursor = page.nextCursor;
  }
}

/** `would send 1,204, skip 310: 300 read, 10 noEndpoint` */
function sentence({ sent, skipped }: Pick<RedriveAnswer, 'sent' | 'skipped'>, isDryRun: boolean): string {
  const reasons = Object.entries(skipped).map(([reason, count]) => `${shown(count)} ${reason}`);
  const skips = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const [verb, other] = isDryRun ? ['would send', 'skip'] : ['sent', 'skipped'];
  return `${verb} ${shown(sent)}${skips === 0 ? '' : `, ${other} ${shown(skips)}: ${reasons.join(', ')}`}`;
}

function shown(count: number): string {
  return count.toLocaleString('en');
}

function lineOf({
  diedAt,
  user,
  notification,
  channel,
  endpoint,
  provider,
  state,
  code,
  attempts,
}: DeadLetter): string {
  const parts = [diedAt, user, notification, channel, provider, endpoint, state, code, `${attempts} attempts`];
  return parts.filter((part) => part !== null && part !== '').join('  ');
}
