/** Sends a request exactly as given, which `fetch` would tidy up, and reports what came back. */
import { type Agent, request } from 'node:http';
import type { HostileRequest } from './hostile-requests.ts';

export interface Received {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Null when the server closed the connection without an answer, as it may in the middle of a refused body. */
export function sendRequest(origin: string, hostile: HostileRequest, agent: Agent): Promise<Received | null> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(
      Object.entries(hostile.headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
    );
    const length = hostile.body === null ? {} : { 'content-length': hostile.body.length };
    const outgoing = request(
      { hostname, port, agent, method: hostile.method, path: hostile.url, headers: { ...headers, ...length } },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('error', reject);
        incoming.on('end', () =>
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
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(null) : reject(error),
    );
    outgoing.end(hostile.body ?? undefined);
  });
}
