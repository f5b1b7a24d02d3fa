/** A push service for tests, as Expo's, over real sockets: answers as it is told to, and keeps what it was asked. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface SunkPush {
  readonly to: string;
  readonly title: string;
  readonly body: string;
  readonly badge: number;
}

/** A ticket's error, or a status of the whole answer. */
export type PushAnswer = 'ok' | 'DeviceNotRegistered' | 'MessageTooBig' | 503 | 429;

export class PushSink {
  readonly pushes: SunkPush[] = [];
  /** Asked of every request; `nth`: how often this token was pushed to before. */
  answer: (to: string, nth: number) => PushAnswer = () => 'ok';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request: IncomingMessage, response) => {
      const push = (await json(request)) as SunkPush;
      const nth = this.to(push.to).length;
      this.pushes.push(push);
      const answer = this.answer(push.to, nth);
      const status = typeof answer === 'number' ? answer : 200;
      const error = { status: 'error', message: 'no', details: { error: answer } };
      const ticket = answer === 'ok' ? { status: 'ok', id: `ticket${this.pushes.length}` } : error;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 200 ? JSON.stringify({ data: ticket }) : '{}');
    });
  }

  static async open(): Promise<PushSink> {
    const sink = new PushSink();
    await new Promise<void>((resolve) => sink.#server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  /** As the service is configured to push here. */
  get config(): object {
    const { port } = this.#server.address() as AddressInfo;
    return { expo: { apps: ['org.example'], url: `http://127.0.0.1:${port}` } };
  }

  to(token: string): readonly SunkPush[] {
    return this.pushes.filter(({ to }) => to === token);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
