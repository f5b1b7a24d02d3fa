/**
 * Who a stream request says it is, from where, and from which revision on. The same for all transports.
 *
 * Cookies never count, and neither does a token in the URL, where logs would keep it (BC-67).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { CarillonError } from '../../base/carillon-error.ts';
import type { Revision } from '../../base/ids.ts';

export const streamProtocol = 'carillon.v1';

export type StreamCredential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'ticket'; readonly ticket: string }
  | { readonly kind: 'none' };

/** Names under which clients are known to put tokens into URLs. */
const tokenParameters = ['access_token', 'token', 'bearer', 'jwt', 'auth', 'authorization', 'api_key', 'key'];

/**
 * A page of another site may not open streams. A request without Origin comes from no page and must prove itself
 * otherwise. Throws CARILLON_AUTH_FORBIDDEN.
 */
export function checkOrigin(headers: IncomingHttpHeaders, allowedOrigins: ReadonlySet<string>): void {
  const { origin, host } = headers;
  if (origin === undefined || allowedOrigins.has(origin)) return;
  if (host !== undefined && URL.parse(origin)?.host === host) return;
  throw new CarillonError('CARILLON_AUTH_FORBIDDEN', 'Pages of this origin may not open streams.');
}

/** Throws CARILLON_AUTH_INVALID for a token in the URL. */
export function credentialOf(headers: IncomingHttpHeaders, query: URLSearchParams): StreamCredential {
  if (tokenParameters.some((name) => query.has(name))) {
    throw new CarillonError('CARILLON_AUTH_INVALID', 'Tokens do not belong in URLs: ask for a ticket instead.');
  }
  const ticket = query.get('ticket');
  if (ticket !== null) return { kind: 'ticket', ticket };
  const token = bearerOf(headers) ?? subprotocolToken(headers);
  return token === null ? { kind: 'none' } : { kind: 'token', token };
}

/** `Last-Event-ID` is newer than the URL, which stays the same when a browser reconnects. Throws CARILLON_REQUEST_INVALID. */
export function sinceOf(headers: IncomingHttpHeaders, query: URLSearchParams): Revision | null {
  const lastEventId = headers['last-event-id'];
  if (typeof lastEventId === 'string' && lastEventId !== '') return revision(lastEventId, 'header/last-event-id');
  const since = query.get('since');
  return since === null ? null : revision(since, 'query/since');
}

function bearerOf(headers: IncomingHttpHeaders): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** `carillon.v1, bearer.<token>`: the first is what the server answers with, the second is only read. */
function subprotocolToken(headers: IncomingHttpHeaders): string | null {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  if (!offered.includes(streamProtocol)) return null;
  return offered.find((protocol) => protocol.startsWith('bearer.'))?.slice('bearer.'.length) ?? null;
}

function revision(text: string, path: string): Revision {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new CarillonError('CARILLON_REQUEST_INVALID', 'A revision is an integer below 2^53.', {
    fields: [{ path, detail: 'Must be an integer from 0 to 9007199254740991.' }],
  });
}
