/** A server of HTTP/2 for tests, without TLS unless it is given a certificate: answers as told, and knows what came on which connection. */
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly path: string;
  readonly headers: http2.IncomingHttpHeaders;
  readonly body: string;
  /** Number of the connection, from 0, and of the stream on it. */
  readonly connection: number;
  readonly stream: number;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Answering = (request: SeenRequest, stream: http2.ServerHttp2Stream) => Reply | null | Promise<Reply | null>;

export class TestHttp2Server {
  readonly #server: http2.Http2Server | http2.Http2SecureServer;
  readonly #scheme: string;
  readonly sessions: http2.ServerHttp2Session[] = [];
  readonly #sockets: Socket[] = [];
  /** Requests with their whole bodies, in order of arrival. */
  readonly seen: SeenRequest[] = [];
  underWayMax = 0;
  #underWay = 0;
  /** What is answered; null: nothing, for the test to do. */
  answer: Answering;

  constructor(answer: Answering, settings: http2.Settings = {}, tls: { key: string; cert: string } | null = null) {
    this.answer = answer;
    this.#scheme = tls === null ? 'http' : 'https';
    this.#server = tls === null ? http2.createServer({ settings }) : http2.createSecureServer({ settings, ...tls });
    this.#server.on('connection', (socket: Socket) => this.#sockets.push(socket));
    this.#server.on('session', (session) => {
      this.sessions.push(session);
      session.on('error', () => {});
    });
    this.#server.on('stream', (stream: http2.ServerHttp2Stream, headers) => this.#onStream(stream, headers));
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => void this.#server.listen(port, '127.0.0.1', resolve));
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on nothing that a connection brings is read. */
  mute(connection: number): void {
    this.#sockets[connection]?.removeAllListeners('data').pause();
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #onStream(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): void {
    const connection = this.sessions.indexOf(stream.session as http2.ServerHttp2Session);
    const parts: Buffer[] = [];
    this.#underWay++;
    this.underWayMax = Math.max(this.underWayMax, this.#underWay);
    stream.on('error', () => {});
    stream.on('close', () => this.#underWay--);
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', async () => {
      const body = Buffer.concat(parts).toString();
      const request = { path: String(headers[':path']), headers, body, connection, stream: stream.id ?? 0 };
      this.seen.push(request);
      const reply = await this.answer(request, stream);
      if (reply === null || stream.destroyed) return;
      stream.respond({ ':status': reply.status, ...reply.headers }, { endStream: reply.body === undefined });
      if (reply.body !== undefined) stream.end(reply.body);
    });
  }
}
