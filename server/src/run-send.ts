/**
 * `carillon send`: sends an event through a running service as an app would, and shows what became of it: the row,
 * and what was decided for each channel. In development mode it takes the tokens it needs; elsewhere the producer's key is
 * given, and an operator's by whoever wants to see more than that it was taken.
 */
import type { DecisionsAnswer } from '@carillon/contract/inbox-requests.ts';
import type { Static } from 'typebox';
import type { Clock } from './base/clock.ts';
import { isoTime } from './base/iso-time.ts';
import { limits } from './base/limits.ts';
import type { Random } from './base/random.ts';
import { connect, type RunningService } from './running-service.ts';

export interface SendRequest {
  readonly to: string;
  readonly type: string;
  readonly title: string;
  /** Who did it; null: nobody, as with what comes from the app itself. */
  readonly actor: string | null;
  readonly source: string;
  readonly url: string;
  /** A producer's key. */
  readonly token: string | undefined;
  /** An operator's key. */
  readonly operator: string | undefined;
  readonly isJson: boolean;
}

export interface SendTools {
  readonly clock: Clock;
  readonly random: Random;
}

interface Sent {
  readonly event: object;
  readonly status: string;
  /** Null: nothing is known yet, or it may not be looked at. */
  readonly decided: Decided | null;
}

type Decisions = Static<typeof DecisionsAnswer>;
type Decided = Decisions['items'][number];

/** Lines to print. Throws an error whose message is for the reader. */
export async function runSend(request: SendRequest, tools: SendTools): Promise<string[]> {
  const { url, token, source, to, isJson } = request;
  const producer = await connect(url, token, { source });
  // Who has a producer's key is not in development mode: nobody gives out others.
  const isSeen = token === undefined || request.operator !== undefined;
  const operator = isSeen ? await connect(url, request.operator) : null;
  const event = eventOf(request, tools);
  const { results } = (await producer.ask('POST', '/v1/events', JSON.stringify(event))) as Results;
  const [result] = results;
  const decided = operator === null ? null : await decidedOf(operator, { to, id: event.id }, tools.clock);
  const sent: Sent = { event, status: result?.status ?? 'unknown', decided };
  return isJson ? [JSON.stringify(sent, null, 2)] : described(sent, { id: event.id, isSeen });
}

interface Results {
  readonly results: readonly { readonly status: string }[];
}

function eventOf({ to, type, title, actor, source }: SendRequest, { clock, random }: SendTools) {
  const id = `cli-${random.hex(8)}`;
  return {
    id,
    source,
    type,
    time: isoTime(clock.now()),
    ...(actor !== null && { actor: { id: actor, name: actor } }),
    object: { kind: 'notice', id, title },
    to: { user: to },
    data: {},
  };
}

/** What was decided, once it is; null where nothing is known in time. */
async function decidedOf(
  operator: RunningService,
  { to, id }: { to: string; id: string },
  clock: Clock,
): Promise<Decided | null> {
  const endAtMs = clock.monotonic() + limits.sentShownMs;
  const path = `/v1/admin/decisions?user=${encodeURIComponent(to)}&event=${id}`;
  for (;;) {
    const { items } = (await operator.ask('GET', path)) as Decisions;
    if (items[0] !== undefined) return items[0];
    if (clock.monotonic() > endAtMs) return null;
    await new Promise<void>((resolve) => clock.after(limits.sentLookMs, resolve));
  }
}

function described({ status, decided }: Sent, { id, isSeen }: { id: string; isSeen: boolean }): string[] {
  const first = `${status}: ${id}`;
  if (!isSeen) return [first, 'Give an operator’s key with --operator to see what became of it.'];
  if (decided === null) return [first, 'Not decided yet: is the person’s shard behind?'];
  return [
    first,
    decided.notification ?? 'No row came of it.',
    ...decided.decisions.map(({ channel, kind, text }) => `  ${channel.padEnd(6)} ${kind.padEnd(5)} ${text}`),
  ];
}
