/** A server that stands in for a provider's HTTP API in tests: real sockets, told answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ApiCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `answer`: null closes the connection without an answer. */
export async function apiServer(
  answer: (call: ApiCall) => Promise<ApiAnswer | null>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => void serve(request, response, answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let isStopped = false;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (call: ApiCall) => Promise<ApiAnswer | null>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = request;
  const given = await answer({ method, url, headers, body: Buffer.concat(chunks).toString() });
  if (given === null) request.socket.destroy();
  else response.writeHead(given.status, given.headers).end(given.body);
}
