/**
 * `carillon send`: sends an event through a running service as an app would, and shows what became of it: the row,
 * what was decided for each channel, and what became of what left at once (V1). In development mode it takes the tokens it needs; elsewhere the producer's key is
 * given, and an operator's by whoever wants to see more than that it was taken.
 */
import type { DeliveriesAnswer, DeliveryJob } from '@carillon/contract/deliveries.ts';
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
  /** Of its row, whichever event they were for. */
  readonly deliveries: readonly DeliveryJob[];
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
  const deliveries =
    operator === null || decided === null ? [] : await deliveriesOf(operator, to, decided, tools.clock);
  const sent: Sent = { event, status: result?.status ?? 'unknown', decided, deliveries };
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
  const path = `/v1/admin/decisions?user=${encodeURIComponent(to)}&event=${id}`;
  const ask = async () => (await operator.ask('GET', path)) as Decisions;
  const { items } = await lookUntil(ask, (answer) => answer.items.length > 0, clock);
  return items[0] ?? null;
}

/** What became of what left at once: when all of it has ended or waits for a time, or as far as it got meanwhile. */
async function deliveriesOf(
  operator: RunningService,
  to: string,
  { event, notification, decisions }: Decided,
  clock: Clock,
): Promise<readonly DeliveryJob[]> {
  const leaving = decisions.filter(({ channel, kind }) => channel !== 'inApp' && kind === 'send');
  if (notification === null || leaving.length === 0) return [];
  const path = `/v1/admin/deliveries?user=${encodeURIComponent(to)}&notification=${notification}`;
  const ask = async () => (await operator.ask('GET', path)) as DeliveriesAnswer;
  const isDone = ({ items }: DeliveriesAnswer): boolean =>
    // What an earlier event of the row sent is no answer.
    leaving.every(({ channel }) => items.some((job) => job.channel === channel && job.decidedAt >= event.time)) &&
    !items.some(isUnderWay);
  return (await lookUntil(ask, isDone, clock)).items;
}

function isUnderWay({ deliveries }: DeliveryJob): boolean {
  return deliveries.some(({ state, nextTryAt }) => {
    return state === 'dispatched' || (state === 'pending' && nextTryAt === null);
  });
}

/** The last answer when time is up. */
async function lookUntil<T>(ask: () => Promise<T>, isDone: (answer: T) => boolean, clock: Clock): Promise<T> {
  const endAtMs = clock.monotonic() + limits.sentShownMs;
  for (;;) {
    const answer = await ask();
    if (isDone(answer) || clock.monotonic() > endAtMs) return answer;
    await new Promise<void>((resolve) => clock.after(limits.sentLookMs, resolve));
  }
}

function described({ status, decided, deliveries }: Sent, { id, isSeen }: { id: string; isSeen: boolean }): string[] {
  const first = `${status}: ${id}`;
  if (!isSeen) return [first, 'Give an operator’s key with --operator to see what became of it.'];
  if (decided === null) return [first, 'Not decided yet: is the person’s shard behind?'];
  return [
    first,
    decided.notification ?? 'No row came of it.',
    ...decided.decisions.map(({ channel, kind, text }) => `  ${channel.padEnd(6)} ${kind.padEnd(5)} ${text}`),
    ...deliveries.flatMap(linesOf),
  ];
}

/** `  push   accepted  d_1  fcm  1 attempts` */
function linesOf({ channel, deliveries }: DeliveryJob): string[] {
  return deliveries.map(({ endpoint, state, provider, code, attempts, nextTryAt }) => {
    const next = nextTryAt === null ? null : `next at ${nextTryAt}`;
    const parts = [state, endpoint, provider, code, `${attempts.length} attempts`, next];
    return `  ${channel.padEnd(6)} ${parts.filter((part) => part !== null).join('  ')}`;
  });
}
