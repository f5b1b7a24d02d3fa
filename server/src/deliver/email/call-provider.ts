/** One call of a mail provider's API: bounded in time and bytes, without redirects. Tells a call that cannot have arrived
 * from one whose answer was lost, since only the first may be made again (V4). */
import { limits } from '../../base/limits.ts';

export type ProviderCall =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Headers; readonly text: string }
  /** Nothing was sent. */
  | { readonly kind: 'notSent'; readonly code: string }
  /** It may have arrived. */
  | { readonly kind: 'lost'; readonly code: string };

/** Codes of failures before a request can have left: names, connections, certificates. */
const beforeSending =
  /^(ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

export async function callProvider(url: string, init: Omit<RequestInit, 'signal' | 'redirect'>): Promise<ProviderCall> {
  try {
    const signal = AbortSignal.timeout(limits.emailAnswerMs);
    const answer = await fetch(url, { ...init, redirect: 'error', signal });
    return { kind: 'answered', status: answer.status, headers: answer.headers, text: await bounded(answer) };
  } catch (error) {
    const code = codeOf(error);
    return { kind: beforeSending.test(code) ? 'notSent' : 'lost', code };
  }
}

/** As `Retry-After` says, in seconds or as a date; null if it says nothing. */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

async function bounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > limits.emailAnswerBytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function codeOf(error: unknown): string {
  const { name, code, cause } = error as { name?: string; code?: unknown; cause?: { code?: unknown } };
  const found = cause?.code ?? code;
  return typeof found === 'string' && found !== '' ? found : (name ?? 'Error');
}
