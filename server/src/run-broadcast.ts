/**
 * `carillon broadcast`: what the operations of broadcasts do, for a terminal (A4, O2). Without a token it takes one as
 * development mode gives out on the same machine.
 */
import { readFileSync } from 'node:fs';
import type { BroadcastAction } from '@carillon/contract/broadcast-states.ts';
import type { BroadcastView } from '@carillon/contract/broadcasts.ts';
import { connect } from './running-service.ts';

export interface BroadcastRequest {
  readonly url: string;
  readonly token: string | undefined;
  readonly isJson: boolean;
  readonly ask:
    | { readonly kind: 'create'; readonly file: string }
    | { readonly kind: 'list' }
    | { readonly kind: 'show'; readonly id: string }
    | { readonly kind: BroadcastAction; readonly id: string; readonly at: string | undefined };
}

const path = '/v1/admin/broadcasts';

/** Lines to print. Throws an error whose message is for the reader. */
export async function runBroadcast({ url, token, isJson, ask }: BroadcastRequest): Promise<string[]> {
  const service = await connect(url, token);
  if (ask.kind === 'list') {
    const answer = (await service.ask('GET', path)) as { items: BroadcastView[] };
    return isJson ? [JSON.stringify(answer, null, 2)] : answer.items.map(summaryOf);
  }
  const view = (await service.ask(...requestOf(ask))) as BroadcastView;
  return isJson ? [JSON.stringify(view, null, 2)] : [summaryOf(view), ...(ask.kind === 'show' ? detailsOf(view) : [])];
}

function requestOf(
  ask: Exclude<BroadcastRequest['ask'], { kind: 'list' }>,
): [method: string, path: string, body?: string] {
  if (ask.kind === 'create') return ['POST', path, readFileSync(ask.file === '-' ? 0 : ask.file, 'utf8')];
  const one = `${path}/${encodeURIComponent(ask.id)}`;
  if (ask.kind === 'show') return ['GET', one];
  if (ask.kind !== 'start') return ['POST', `${one}/${ask.kind}`];
  return ['POST', `${one}/start`, JSON.stringify(ask.at === undefined ? {} : { at: ask.at })];
}

function summaryOf({ id, status, recipients, name }: BroadcastView): string {
  return `${id}  ${status.padEnd(9)}  ${String(recipients).padStart(9)} people  ${name}`;
}

function detailsOf({ content, to, startAt, history }: BroadcastView): string[] {
  return [
    `  ${content.type} to ${JSON.stringify(to)}`,
    ...(startAt === null ? [] : [`  starts at ${startAt}`]),
    ...history.map(({ at, by, action }) => `  ${at}  ${action.padEnd(7)}  ${by}`),
  ];
}
