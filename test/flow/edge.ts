/**
 * One address in front of several processes, as a load balancer gives it: events go to those that take them, everything
 * else to those that people speak with, in turn. WebSockets are passed on as they are.
 */
import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** `url` of the processes of each kind. */
export interface Behind {
  readonly intakes: readonly string[];
  readonly fronts: readonly string[];
}

export class Edge {
  readonly url: string;
  readonly #server: Server;
  #behind: Behind = { intakes: [], fronts: [] };
  #turn = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (incoming, answer) => {
      const outgoing = this.#forward(incoming);
      outgoing.on('response', (response) => {
        answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
        response.pipe(answer);
        response.on('error', () => answer.destroy());
      });
      // The process behind has died: so does the connection of whoever asked it.
      outgoing.on('error', () => incoming.socket.destroy());
      answer.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(incoming, socket, head),
    );
  }

  static async open(): Promise<Edge> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Edge(server);
  }

  use(behind: Behind): void {
    this.#behind = behind;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward(incoming: IncomingMessage): ClientRequest {
    const { intakes, fronts } = this.#behind;
    const among = /^\/v1\/(events|schemas)\b/.test(incoming.url ?? '') ? intakes : fronts;
    const base = among[this.#turn++ % among.length] ?? 'http://127.0.0.1:1';
    const { method = 'GET', headers } = incoming;
    return request(new URL(incoming.url ?? '/', base), { method, headers, agent: false });
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const outgoing = this.#forward(incoming);
    const cut = (): void => void socket.destroy();
    outgoing.on('upgrade', (response, behind, first) => {
      socket.write(headOf(response));
      socket.write(first);
      behind.write(head);
      behind.pipe(socket).pipe(behind);
      behind.on('error', cut).on('close', cut);
      socket.on('error', () => behind.destroy()).on('close', () => behind.destroy());
    });
    outgoing.on('response', (response) => {
      socket.write(headOf(response));
      response.pipe(socket);
    });
    outgoing.on('error', cut);
    outgoing.end();
  }
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
