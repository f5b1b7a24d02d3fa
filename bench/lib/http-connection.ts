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
  #chunks: Buffer[] = [];
  #received = 0;
  /** Bytes of the answer in all, once its head has told; 0 or −1 before. */
  #wanted = 0;
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
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#received < this.#wanted) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const at = bytes.indexOf(headEnd);
    if (at < 0) return;
    const start = at + headEnd.length;
    const head = bytes.toString('latin1', 0, at);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    const end = length ? start + Number(length[1]) : chunkedEnd(bytes, start);
    // A long body is gathered without looking at its head again.
    this.#wanted = end;
    if (end < 0 || bytes.length < end) return;
    this.#chunks = [];
    this.#received = 0;
    this.#wanted = 0;
    const settle = this.#settle;
    this.#settle = null;
    settle?.resolve({ status: Number(head.slice(9, 12)), body: bytes.subarray(start, end) });
  }

  #fail(error: Error): void {
    this.#settle?.reject(error);
    this.#settle = null;
  }
}

function chunkedEnd(bytes: Buffer, start: number): number {
  const at = bytes.indexOf(lastChunk, start);
  return at < 0 ? -1 : at + lastChunk.length;
}

export function requestHead(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}`;
}
