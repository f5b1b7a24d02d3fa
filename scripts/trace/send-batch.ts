/**
 * Sends batches of events through the public API as newline-delimited JSON (E2). A batch that may not have arrived is sent
 * again with the same ids, which is safe (E3): whatever was taken the first time is answered as a duplicate.
 */
import type { Random } from '../../server/src/base/random.ts';

export interface SendCounts {
  readonly accepted: number;
  readonly duplicate: number;
  readonly rejected: number;
  /** Requests that had to be repeated. */
  readonly retries: number;
  /** In words, of the first event refused; null if none was. */
  readonly firstRejection: string | null;
}

/** What the world gives a sender; simulated in tests. */
export interface SendPorts {
  /** Without a slash at the end. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** A producer token; asked again, with `renew`, when the last one is refused. */
  readonly token: (renew: boolean) => Promise<string>;
  readonly wait: (delayMs: number) => Promise<void>;
  readonly random: Random;
}

/** The server cannot be reached, or refuses in a way that waiting does not mend. */
export class SendError extends Error {
  override name = 'SendError';
}

const attemptsMax = 12;
const backoffFirstMs = 100;
const backoffMaxMs = 10_000;
/** Statuses that mean "later": over the rate, overloaded or stopping, and gateways in between. */
const laterStatuses = new Set([408, 429, 502, 503, 504]);

/** Resolves once every event of the batch has its result. Throws SendError. */
export async function sendBatch(events: readonly object[], ports: SendPorts): Promise<SendCounts> {
  const body = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  let renew = false;
  let problem = '';
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const token = await ports.token(renew);
    const answer = await post(body, token, ports);
    if (answer.status === 202) return { ...countResults(await answer.json()), retries: attempt };
    problem = answer.status === 0 ? answer.text : `${answer.status} ${problemText(answer.text)}`;
    const refusedToken: boolean = answer.status === 401 && !renew;
    if (answer.status !== 0 && !laterStatuses.has(answer.status) && !refusedToken) break;
    renew = refusedToken;
    // The token is renewed at once; everything else deserves a pause.
    if (!refusedToken) await ports.wait(answer.retryAfterMs ?? backoffMs(attempt, ports.random));
  }
  throw new SendError(`${ports.url} did not take the events: ${problem}`);
}

export function addCounts(one: SendCounts, other: SendCounts): SendCounts {
  return {
    accepted: one.accepted + other.accepted,
    duplicate: one.duplicate + other.duplicate,
    rejected: one.rejected + other.rejected,
    retries: one.retries + other.retries,
    firstRejection: one.firstRejection ?? other.firstRejection,
  };
}

export const noCounts: SendCounts = { accepted: 0, duplicate: 0, rejected: 0, retries: 0, firstRejection: null };

interface PostAnswer {
  /** 0: no answer came. */
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  json(): unknown;
}

async function post(body: string, token: string, ports: SendPorts): Promise<PostAnswer> {
  try {
    const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` };
    const response = await ports.fetch(`${ports.url}/v1/events`, { method: 'POST', headers, body });
    const text = await response.text();
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
    return { status: response.status, text, retryAfterMs, json: () => JSON.parse(text) };
  } catch (error) {
    return { status: 0, text: connectionText(error), retryAfterMs: undefined, json: () => null };
  }
}

/** Full jitter: any time up to the doubled bound, so that senders who failed together do not return together. */
function backoffMs(attempt: number, random: Random): number {
  return random.below(Math.min(backoffMaxMs, backoffFirstMs * 2 ** attempt)) + 1;
}

function countResults(body: unknown): Omit<SendCounts, 'retries'> {
  const counts = { accepted: 0, duplicate: 0, rejected: 0 };
  let firstRejection: string | null = null;
  for (const result of (body as { results: EventResult[] }).results) {
    counts[result.status] += 1;
    if (result.status === 'rejected') {
      firstRejection ??= `${result.id}: ${result.error?.detail ?? 'rejected'} (${result.error?.code ?? 'no code'})`;
    }
  }
  return { ...counts, firstRejection };
}

interface EventResult {
  readonly id: string;
  readonly status: 'accepted' | 'duplicate' | 'rejected';
  readonly error?: { readonly code: string; readonly detail: string };
}

function problemText(text: string): string {
  try {
    const problem = JSON.parse(text) as { code?: string; detail?: string };
    return `${problem.code ?? ''} ${problem.detail ?? ''}`.trim();
  } catch {
    return text.slice(0, 200);
  }
}

/** `fetch failed` says nothing: the reason is in its cause. */
function connectionText(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? String(error);
}
