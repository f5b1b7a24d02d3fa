/**
 * The push service of a real Chromium, on this machine: checks the browser in, registers its subscriptions, holds its
 * connection, and hands on what is posted, which the browser alone decrypts. As much of Google's protocol as that needs.
 */
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Tags and version of the browser's connection. */
const mcs = { version: 41, loginAnswer: 3, message: 8 } as const;

export class ChromiumPushService {
  readonly #google: Server;
  readonly #connection: Server;
  readonly #endpoint: Server;
  #socket: TLSSocket | null = null;
  #subscription: { readonly app: string; readonly sender: string } | null = null;
  #sent = 0;

  constructor(certificate: Certificate) {
    this.#google = createHttps(certificate, async (request, response) => {
      const form = new URLSearchParams(await textOf(request));
      if (request.url === '/checkin') return void response.end(checkedIn());
      const [app, sender] = [form.get('X-subtype'), form.get('sender')];
      if (app !== null && sender !== null) this.#subscription = { app, sender };
      response.end('token=local');
    });
    this.#connection = createTls(certificate, (socket) => {
      this.#socket = socket;
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.write(Buffer.concat([Buffer.of(mcs.version), framed(mcs.loginAnswer, bytes(1, 'login'))])),
      );
    }) as unknown as Server;
    this.#endpoint = createHttp(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const isThere = this.#handOn(Buffer.concat(parts), String(request.headers['content-encoding']));
      response.writeHead(isThere ? 201 : 410).end();
    });
  }

  /** For the command line of the browser, and where to post for its subscription. */
  async listen(): Promise<{ flags: string[]; endpoint: string }> {
    const [google, connection, endpoint] = await Promise.all(
      [this.#google, this.#connection, this.#endpoint].map(async (server) => {
        await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
        return (server.address() as AddressInfo).port;
      }),
    );
    const flags = [
      `--gcm-checkin-url=https://localhost:${google}/checkin`,
      `--gcm-registration-url=https://localhost:${google}/register`,
      `--gcm-mcs-endpoint=https://localhost:${connection}`,
      '--ignore-certificate-errors',
    ];
    return { flags, endpoint: `http://127.0.0.1:${endpoint}/local` };
  }

  async close(): Promise<void> {
    this.#socket?.destroy();
    this.#google.closeAllConnections();
    this.#endpoint.closeAllConnections();
    await Promise.all(
      [this.#google, this.#connection, this.#endpoint].map((server) => new Promise((resolve) => server.close(resolve))),
    );
  }

  #handOn(body: Buffer, encoding: string): boolean {
    if (this.#socket === null || this.#subscription === null) return false;
    const { app, sender } = this.#subscription;
    const detail = (name: string, value: string): Buffer => bytes(7, Buffer.concat([bytes(1, name), bytes(2, value)]));
    const id = `m${this.#sent++}`;
    this.#socket.write(
      framed(
        mcs.message,
        bytes(2, id),
        bytes(3, sender),
        bytes(5, 'org.chromium.linux'),
        detail('subtype', app),
        detail('content-encoding', encoding),
        bytes(9, id),
        bytes(21, body),
      ),
    );
    return true;
  }
}

async function textOf(request: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('latin1');
}

/** All is well; id and secret of the device. */
function checkedIn(): Buffer {
  const number = (field: number, value: bigint): Buffer => {
    const fixed = Buffer.alloc(8);
    fixed.writeBigUInt64LE(value);
    return Buffer.concat([varint((field << 3) | 1), fixed]);
  };
  return Buffer.concat([
    Buffer.of(1 << 3, 1),
    Buffer.of(3 << 3, 1),
    number(7, 12_345n),
    number(8, 67_890n),
    bytes(12, 'v1'),
  ]);
}

/** A field of text or bytes, as protocol buffers have them. */
function bytes(field: number, value: string | Buffer): Buffer {
  const content = Buffer.from(value as Buffer);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

function framed(tag: number, ...fields: readonly Buffer[]): Buffer {
  const message = Buffer.concat(fields);
  return Buffer.concat([Buffer.of(tag), varint(message.length), message]);
}

function varint(value: number): Buffer {
  const parts: number[] = [];
  for (; value > 127; value >>>= 7) parts.push((value & 127) | 128);
  return Buffer.from([...parts, value]);
}
