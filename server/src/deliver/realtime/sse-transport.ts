/**
 * Frames as Server-Sent Events (WHATWG HTML §9.2): event name = kind, `id` = position. The stream is the body of an
 * ordinary HTTP answer, so whatever serves HTTP can send it.
 *
 * An `id` is sent only when it moves the position, so no control frame ever lowers what the browser sends back as
 * `Last-Event-ID` (BC-42). `resync` sets it whatever it was: the client is about to load everything anyway.
 */
import { Readable } from 'node:stream';
import type { Revision } from '../../base/ids.ts';
import type { Connection } from './connection.ts';
import { type Bye, byeJson, type OutFrame, type Transport } from './transport.ts';

/** A comment for proxies, and an event for scripts, which cannot see comments. */
const heartbeat = Buffer.from(': heartbeat\n\nevent: ping\ndata: {"kind":"ping"}\n\n');
const frameEnd = Buffer.from('\n\n');

export const sseHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  // `no-transform` keeps proxies from compressing, and X-Accel-Buffering nginx from buffering (BC-45).
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

export class SseTransport implements Transport {
  readonly kind = 'sse';
  readonly body: Readable;
  connection: Connection | null = null;
  #position: Revision;
  /** The last heartbeat has not left yet. */
  #stuck = false;

  constructor(since: Revision | null, retryMs: number) {
    this.#position = since ?? -1;
    this.body = new Readable({ read: () => {} });
    // Nobody may be listening for errors any more when the peer goes away in the middle of a write.
    this.body.on('error', () => {});
    this.body.on('close', () => this.connection?.ended());
    // Sent at once, so that the answer's head reaches the client before the catch-up has been read.
    this.body.push(`retry: ${retryMs}\n\n`);
  }

  open(frames: readonly OutFrame[]): void {
    for (const frame of frames) this.send(frame);
  }

  send(frame: OutFrame): void {
    const moves = frame.kind !== 'marks' && (frame.revision > this.#position || frame.kind === 'resync');
    if (moves) this.#position = frame.revision;
    const head = moves ? `event: ${frame.kind}\nid: ${frame.revision}\ndata: ` : `event: ${frame.kind}\ndata: `;
    this.#push(Buffer.concat([Buffer.from(head), frame.json, frameEnd]));
  }

  /** The client cannot answer here: one that does not even take a heartbeat within a whole interval is gone. */
  ping(): void {
    // Without a reader this is the answer to HEAD, which has no body: it would flow to nowhere for ever.
    if (this.body.listenerCount('data') === 0) {
      this.terminate();
    } else if (this.#stuck && this.bufferedBytes() > 0) {
      this.connection?.cut('heartbeatMissed');
    } else {
      this.#push(heartbeat);
      this.connection?.heard();
      this.#stuck = this.bufferedBytes() > 0;
    }
  }

  bufferedBytes(): number {
    return this.body.readableLength;
  }

  close(bye: Bye): void {
    const retry = bye.retryAfterMs === undefined ? '' : `retry: ${bye.retryAfterMs}\n`;
    this.#push(Buffer.from(`${retry}event: bye\ndata: ${byeJson(bye)}\n\n`));
    this.body.push(null);
  }

  terminate(): void {
    this.body.destroy();
  }

  #push(bytes: Buffer): void {
    if (!this.body.destroyed && !this.body.readableEnded) this.body.push(bytes);
  }
}
