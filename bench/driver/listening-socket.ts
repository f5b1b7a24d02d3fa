/**
 * One WebSocket client on a bare socket. All of them read into one shared buffer, which works because a read is handled
 * to its end before the next begins; so a message costs the driver only its scan.
 */
import net from 'node:net';
import { clientFrame, FrameReader } from '../lib/frame-reader.ts';
import { requestHead } from '../lib/http-connection.ts';
import type { SocketOpening } from './target.ts';

const shared = Buffer.allocUnsafe(64 * 1024);
const headEnd = Buffer.from('\r\n\r\n');
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;
const shownBytes = 600;

export interface SocketEvents {
  /** Before the frames of a read are handed on. */
  beforeRead(): void;
  message(payload: Buffer, reply: (text: string) => void): void;
  /** The socket is gone, for whatever reason; `why` is the server's close code and text where it gave one. */
  closed(why: string): void;
}

export class ListeningSocket {
  readonly #socket: net.Socket;
  readonly #opening: SocketOpening;
  readonly #events: SocketEvents;
  readonly #reader: FrameReader;
  /** Bytes of the upgrade's answer; null once it is complete. */
  #head: Buffer | null = Buffer.alloc(0);
  #why = 'no close frame';

  constructor(port: number, opening: SocketOpening, events: SocketEvents) {
    this.#opening = opening;
    this.#events = events;
    this.#reader = new FrameReader((opcode, payload) => this.#frame(opcode, payload));
    const callback = (length: number): boolean => {
      events.beforeRead();
      this.#read(shared.subarray(0, length));
      return true;
    };
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer: shared, callback } });
    this.#socket.on('connect', () => this.#socket.write(upgradeRequest(opening)));
    this.#socket.on('error', (error) => {
      this.#why = error.message;
    });
    this.#socket.on('close', () => events.closed(this.#why));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #reply = (text: string): void => this.#send(opcodes.text, Buffer.from(text));

  #send(opcode: number, payload: Buffer): void {
    this.#socket.write(clientFrame(opcode, payload));
  }

  #read(bytes: Buffer): void {
    if (this.#head === null) this.#reader.push(bytes);
    else this.#upgrade(Buffer.concat([this.#head, bytes]));
  }

  #upgrade(head: Buffer): void {
    this.#head = head;
    const end = head.indexOf(headEnd);
    if (end < 0) return;
    if (!head.toString('latin1', 0, end).startsWith('HTTP/1.1 101')) {
      this.#why = `no upgrade: ${head.toString('latin1', 0, shownBytes)}`;
      this.#socket.destroy();
      return;
    }
    this.#head = null;
    if (this.#opening.first !== null) this.#reply(this.#opening.first);
    const rest = head.subarray(end + headEnd.length);
    if (rest.length > 0) this.#reader.push(rest);
  }

  #frame(opcode: number, payload: Buffer): void {
    if (opcode === opcodes.text) this.#events.message(payload, this.#reply);
    else if (opcode === opcodes.ping) this.#send(opcodes.pong, Buffer.from(payload));
    else if (opcode === opcodes.close) this.#why = closeText(payload);
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
