/** `carillon suppressions`: looks at and changes the addresses that get no mail, of a running service (V22, O1). */
import type { Suppression } from '@carillon/contract/suppressions.ts';
import { connect } from './running-service.ts';

export type SuppressionWish = 'list' | 'show' | 'add' | 'clear';

export interface SuppressionsRequest {
  readonly what: SuppressionWish;
  readonly address: string | undefined;
  readonly url: string;
  readonly token: string | undefined;
  readonly isJson: boolean;
}

interface Page {
  readonly items: readonly Suppression[];
  readonly nextCursor: string | null;
}

const methods = { show: 'GET', add: 'PUT', clear: 'DELETE' } as const;
const path = '/v1/admin/suppressions';

/** Lines to print. Throws an error whose message is for the reader. */
export async function* runSuppressions(request: SuppressionsRequest): AsyncIterable<string> {
  const { what, address, url, token, isJson } = request;
  if (what !== 'list' && address === undefined)
    throw new Error(`Which address? carillon suppressions ${what} <address>`);
  const service = await connect(url, token);
  if (what !== 'list') {
    const found = await service.ask(methods[what], `${path}/${encodeURIComponent(address ?? '')}`);
    yield found === null ? 'Mail is sent to it again.' : lineOf(found as Suppression, isJson);
    return;
  }
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await service.ask('GET', `${path}?limit=1000${more}`)) as Page;
    for (const each of page.items) yield lineOf(each, isJson);
    cursor = page.nextCursor;
  }
}

function lineOf(suppression: Suppression, isJson: boolean): string {
  if (isJson) return JSON.stringify(suppression);
  const { address, reason, since, by, code, softBounces } = suppression;
  const why = reason ?? `not suppressed, ${softBounces} soft bounces`;
  return [address, why, since, by, code].filter((each) => each !== null).join('  ');
}
