/**
 * One HTTP/1.1 keep-alive connection on a bare socket, one request at a time: a load generator must cost less than
 * what it measures, and `http.request` does not. Reads answers with a Content-Length or in chunks.
 */
import net from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

export class HttpConnection {
  readonly #socket: net.Socket;
  #received: Buffer = Buffer.alloc(0);
  #settle: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | null = null;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ port, host: '127.0.0.1' });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  /** `head` ends before Content-Length: see `requestHead`. */
  send(head: string, body: Buffer | null): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (body === null) {
        this.#socket.write(`${head}\r\n`);
        return;
      }
      this.#socket.cork();
      this.#socket.write(`${head}content-length: ${body.length}\r\n\r\n`, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    });
  }

  close(): void {
    this.#settle = null;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const at = this.#received.indexOf(headEnd);
    if (at < 0) return;
    const head = this.#received.toString('latin1', 0, at);
    const start = at + headEnd.length;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    const end = length ? start + Number(length[1]) : this.#chunkedEnd(start);
    if (end < 0 || this.#received.length < end) return;
    const body = this.#received.subarray(start, end);
    const settle = this.#settle;
    this.#received = Buffer.alloc(0);
    this.#settle = null;
    settle?.resolve({ status: Number(head.slice(9, 12)), body });
  }

  #chunkedEnd(start: number): number {
    const at = this.#received.indexOf(lastChunk, start);
    return at < 0 ? -1 : at + lastChunk.length;
  }

  #fail(error: Error): void {
    this.#settle?.reject(error);
    this.#settle = null;
  }
}

export function requestHead(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}`;
}
