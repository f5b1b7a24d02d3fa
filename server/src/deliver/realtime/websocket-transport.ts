/**
 * Frames over one WebSocket. `ws` does the protocol; only finished text frames go below it, straight to the socket: one
 * write per frame, of bytes that all connections share. That is in order with what `ws` sends itself (close, pongs),
 * because without compression its sender never holds anything back.
 *
 * An idle socket must stay small, so handlers are shared functions that find the connection on the socket.
 */
import type { Socket } from 'node:net';
import { type RawData, WebSocket } from 'ws';
import type { Connection } from './connection.ts';
import { pingFrame, textFrame } from './text-frame.ts';
import { type Bye, byeJson, type OutFrame, type Transport } from './transport.ts';

/** Both kinds of ping in one write: `ws` and browsers answer the first by themselves, scripts can see only the second. */
const heartbeat = Buffer.concat([pingFrame(), textFrame(Buffer.from('{"kind":"ping"}'))]);

export class StreamSocket extends WebSocket {
  connection: Connection | null = null;
  clientFrameBytesMax = 0;

  /**
   * `ws` closes by itself for broken frames, bad UTF-8 and endless messages, with codes from 1002 to 1010. Our clients
   * know one code for all of them.
   */
  override close(code?: number, reason?: string | Buffer): void {
    const faulty = code !== undefined && code >= 1002 && code <= 1010;
    if (faulty && this.readyState === WebSocket.OPEN && this.connection !== null) this.connection.cut('protocolError');
    else super.close(code, reason);
  }
}

export class WebSocketTransport implements Transport {
  readonly kind = 'websocket';
  readonly #ws: StreamSocket;
  readonly #socket: Socket;

  constructor(ws: StreamSocket, socket: Socket) {
    this.#ws = ws;
    this.#socket = socket;
  }

  open(frames: readonly OutFrame[]): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    this.#socket.write(Buffer.concat(frames.map((frame) => textFrame(frame.json))));
  }

  send(frame: OutFrame): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#socket.write(shared(frame));
  }

  ping(): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#socket.write(heartbeat);
  }

  bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  close(bye: Bye): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    this.#socket.write(textFrame(Buffer.from(byeJson(bye))));
    this.#ws.close(bye.code, bye.reason);
  }

  terminate(): void {
    this.#ws.terminate();
  }
}

/** Gives a socket its connection. From here on it belongs to the connection. */
export function attachConnection(ws: StreamSocket, connection: Connection, clientFrameBytesMax: number): void {
  ws.connection = connection;
  ws.clientFrameBytesMax = clientFrameBytesMax;
  ws.on('message', onMessage);
  ws.on('ping', onSignOfLife);
  ws.on('pong', onSignOfLife);
  ws.on('close', onClose);
  ws.on('error', onError);
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  const { connection, clientFrameBytesMax } = this as StreamSocket;
  // Text comes as one buffer, since `binaryType` is left at its default.
  const bytes = data as Buffer;
  connection?.receive(isBinary || bytes.length > clientFrameBytesMax ? null : bytes);
}

function onSignOfLife(this: WebSocket): void {
  (this as StreamSocket).connection?.heard();
}

function onClose(this: WebSocket): void {
  const ws = this as StreamSocket;
  ws.connection?.ended();
  ws.connection = null;
}

/** Faults of the peer end in `close`; there is nothing more to say about them. */
function onError(): void {}

let lastJson: Buffer | null = null;
let lastBytes: Buffer = Buffer.alloc(0);

/** A person's connections get one frame one after the other, so remembering the last one is enough to build it once. */
function shared(frame: OutFrame): Buffer {
  if (frame.json !== lastJson) {
    lastJson = frame.json;
    lastBytes = textFrame(frame.json);
  }
  return lastBytes;
}
