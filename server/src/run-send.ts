/**
 * `carillon send`: sends an event through a running service as an app would, and shows what became of it: the row, and what
 * was decided for each channel. In development mode it takes the tokens it needs; elsewhere the producer's key is given,
 * and the person's token by whoever wants to see their row.
 */
import type { Notification } from '@carillon/contract/notification.ts';
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
  /** A token of the person. */
  readonly as: string | undefined;
  readonly isJson: boolean;
}

export interface SendTools {
  readonly clock: Clock;
  readonly random: Random;
}

interface Sent {
  readonly event: object;
  readonly status: string;
  /** Null: it made none, or may not be looked at. */
  readonly row: Notification | null;
  readonly decisions: readonly Decided[];
}

interface Decided {
  readonly channel: string;
  readonly kind: string;
  readonly text: string;
}

/** Lines to print. Throws an error whose message is for the reader. */
export async function runSend(request: SendRequest, tools: SendTools): Promise<string[]> {
  const { url, token, source, to, as, isJson } = request;
  const producer = await connect(url, token, { source });
  // With a producer's key, nobody gives out tokens of people.
  const reader = token === undefined || as !== undefined ? await connect(url, as, { user: to }) : null;
  const event = eventOf(request, tools);
  const before = reader === null ? 0 : await revisionOf(reader);
  const { results } = (await producer.ask('POST', '/v1/events', JSON.stringify(event))) as Results;
  const [result] = results;
  const seen = reader === null ? null : await rowOf(reader, { id: event.id, since: before }, tools.clock);
  const sent: Sent = {
    event,
    status: result?.status ?? 'unknown',
    row: seen?.row ?? null,
    decisions: seen?.decisions ?? [],
  };
  return isJson ? [JSON.stringify(sent, null, 2)] : described(sent, { id: event.id, isSeen: reader !== null });
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

async function revisionOf(reader: RunningService): Promise<number> {
  const { revision } = (await reader.ask('GET', '/v1/notifications/counts')) as { revision: number };
  return revision;
}

/** The row that the event made or changed, once it is there; null where it makes none in time. */
async function rowOf(
  reader: RunningService,
  { id, since }: { id: string; since: number },
  clock: Clock,
): Promise<{ row: Notification; decisions: readonly Decided[] } | null> {
  const endAtMs = clock.monotonic() + limits.sentShownMs;
  for (;;) {
    const changes = (await reader.ask('GET', `/v1/notifications/changes?since=${since}`)) as Changes;
    for (const row of changes.items ?? []) {
      const { event, decisions } = (await reader.ask('GET', `/v1/notifications/${row.id}/why`)) as Why;
      if (event.id === id) return { row, decisions };
    }
    if (clock.monotonic() > endAtMs) return null;
    await new Promise<void>((resolve) => clock.after(limits.sentLookMs, resolve));
  }
}

interface Changes {
  readonly items?: readonly Notification[];
}

interface Why {
  readonly event: { readonly id: string };
  readonly decisions: readonly Decided[];
}

function described({ status, row, decisions }: Sent, { id, isSeen }: { id: string; isSeen: boolean }): string[] {
  const lines = [`${status}: ${id}`];
  if (!isSeen) return [...lines, 'Give a token of the person with --as to see what became of it.'];
  if (row === null) return [...lines, 'No row came of it. `carillon simulate` says why.'];
  return [
    ...lines,
    `${row.id}: ${row.text.body}`,
    ...decisions.map(({ channel, kind, text }) => `  ${channel.padEnd(6)} ${kind.padEnd(5)} ${text}`),
  ];
}
