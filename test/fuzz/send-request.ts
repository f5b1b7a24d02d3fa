/** Sends a request exactly as given, which `fetch` would tidy up, and reports what came back. */
import { type Agent, request } from 'node:http';
import type { HostileRequest } from './hostile-requests.ts';

export interface Received {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Any other request must be answered by then. */
const answerMs = 60_000;
/** Streams and long polls wait by design: these are left after a moment. */
const streamMs = 500;

/**
 * Null when the server closed the connection without an answer, as it may in the middle of a refused body, and when
 * a stream had nothing to say. Of an event stream only the head is read.
 */
export function sendRequest(origin: string, hostile: HostileRequest, agent: Agent): Promise<Received | null> {
  const { hostname, port } = new URL(origin);
  const isStream = hostile.url.startsWith('/v1/stream');
  // Not the socket's own timeout, which a kept connection hands on to the next request.
  const signal = AbortSignal.timeout(isStream ? streamMs : answerMs);
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(
      Object.entries(hostile.headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
    );
    const length = hostile.body === null ? {} : { 'content-length': hostile.body.length };
    const outgoing = request(
      { hostname, port, agent, signal, method: hostile.method, path: hostile.url, headers: { ...headers, ...length } },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('error', (error) => (signal.aborted && isStream ? resolve(null) : reject(error)));
        if (incoming.headers['content-type']?.startsWith('text/event-stream')) incoming.destroy();
        incoming.on('close', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            contentType: incoming.headers['content-type'] ?? '',
            body: Buffer.concat(parts),
          }),
        );
      },
    );
    outgoing.on('upgrade', (incoming, socket) => {
      socket.destroy();
      resolve({ status: incoming.statusCode ?? 0, contentType: '', body: Buffer.alloc(0) });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || (signal.aborted && isStream)) resolve(null);
      else reject(signal.aborted ? new Error(`${hostile.method} ${hostile.url}: no answer`) : error);
    });
    outgoing.end(hostile.body ?? undefined);
  });
}
