/**
 * Thousands of WebSocket clients on bare sockets. All of them read into one shared buffer, which works because a read is
 * handled to its end before the next begins; so a message costs the driver only its scan.
 */
import net from 'node:net';
import { clientFrame, FrameReader } from '../lib/frame-reader.ts';
import { requestHead } from '../lib/http-connection.ts';
import type { Tally } from './tally.ts';
import type { SocketOpening, Target } from './target.ts';

const shared = Buffer.allocUnsafe(64 * 1024);
const headEnd = Buffer.from('\r\n\r\n');
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;
const inParallel = 64;

export class SocketFarm {
  readonly #target: Target;
  readonly #tally: Tally;
  readonly #nowUs: () => number;
  readonly #sockets = new Set<net.Socket>();
  /** Sockets the server closed: 0 in a correct run. */
  cut = 0;
  lastClose = '';
  #closing = false;

  constructor(target: Target, tally: Tally, nowUs: () => number) {
    this.#target = target;
    this.#tally = tally;
    this.#nowUs = nowUs;
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Opens one socket per opening and resolves when each has its first answer (`isReady`). */
  async open(port: number, openings: readonly SocketOpening[]): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < openings.length) await this.#connect(port, openings[next++]!);
    };
    await Promise.all(Array.from({ length: Math.min(inParallel, openings.length) }, work));
  }

  close(): void {
    this.#closing = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  #connect(port: number, opening: SocketOpening): Promise<void> {
    return new Promise((resolve, reject) => {
      let isReady = false;
      let head: Buffer | null = Buffer.alloc(0);
      const send = (opcode: number, payload: Buffer): void => void socket.write(clientFrame(opcode, payload));
      const reply = (text: string): void => send(opcodes.text, Buffer.from(text));
      const reader = new FrameReader((opcode, payload) => {
        if (opcode === opcodes.text) {
          this.#target.message(payload, this.#tally, reply);
          if (!isReady && this.#target.isReady(payload)) {
            isReady = true;
            resolve();
          }
        } else if (opcode === opcodes.ping) send(opcodes.pong, Buffer.from(payload));
        else if (opcode === opcodes.close) this.lastClose = closeText(payload);
      });
      const read = (bytes: Buffer): void => {
        if (head === null) return reader.push(bytes);
        head = Buffer.concat([head, bytes]);
        const at = head.indexOf(headEnd);
        if (at < 0) return;
        const text = head.toString('latin1', 0, at);
        if (!text.startsWith('HTTP/1.1 101')) return reject(new Error(`no upgrade: ${head.toString('latin1', 0, 600)}`));
        const rest = Buffer.from(head.subarray(at + headEnd.length));
        head = null;
        if (opening.first !== null) reply(opening.first);
        if (rest.length > 0) reader.push(rest);
      };
      const socket = net.connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer: shared,
          callback: (length) => {
            this.#tally.nowUs = this.#nowUs();
            read(shared.subarray(0, length));
            return true;
          },
        },
      });
      socket.on('connect', () => socket.write(upgradeRequest(opening)));
      socket.on('error', reject);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        if (!this.#closing) this.cut++;
        reject(new Error(`the server closed a socket: ${this.lastClose}`));
      });
      this.#sockets.add(socket);
    });
  }
}

const upgradeRequest = (opening: SocketOpening): string =>
  `${requestHead('GET', opening.path, {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    ...opening.headers,
  })}\r\n`;

const closeText = (payload: Buffer): string =>
  payload.length < 2 ? 'no code' : `${payload.readUInt16BE(0)} ${payload.toString('utf8', 2)}`;
