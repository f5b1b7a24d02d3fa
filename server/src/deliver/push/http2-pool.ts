/**
 * Connections to one provider with one credential, over HTTP/2. Requests wait in turn for a stream, within bounds; what a
 * connection left out goes to the next one, before all that wait. It never rejects.
 *
 * A connection is opened when there is work for it and room for no more elsewhere. After one that failed everything that
 * waits is `unsent` at once, and for a moment whatever comes: whoever sends knows better when to try again.
 */
import type { OutgoingHttpHeaders } from 'node:http2';
import { limits } from '../../base/limits.ts';
import { type ConnectionOptions, type Exchange, Http2Connection } from './http2-connection.ts';
import type { ProviderReply } from './provider-reply.ts';

export interface PoolOptions extends ConnectionOptions {
  readonly connectionsMax?: number;
}

export class Http2Pool {
  readonly #options: PoolOptions;
  readonly #connections = new Set<Http2Connection>();
  /** In order; what was left out goes before. */
  readonly #waiting: Exchange[] = [];
  #pause: { readonly untilMs: number; readonly code: string } | null = null;
  #cancelSweep: (() => void) | null = null;
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  request(headers: OutgoingHttpHeaders, body: string | Uint8Array): Promise<ProviderReply> {
    return new Promise((settle) => {
      const nowMs = this.#options.clock.monotonic();
      if (this.#isClosed) return settle({ kind: 'unsent', code: 'closed' });
      if (this.#pause !== null && nowMs < this.#pause.untilMs)
        return settle({ kind: 'unsent', code: this.#pause.code });
      if (this.#waiting.length >= limits.pushSendsMax) return settle({ kind: 'unsent', code: 'tooManyAtOnce' });
      this.#waiting.push({ headers, body, tries: 0, sinceMs: nowMs, settle });
      this.#cancelSweep ??= this.#options.clock.every(limits.pushSweepMs, () => this.#sweep());
      this.#give();
    });
  }

  /** Requests that have no stream yet are unsent; resolves when those under way have finished. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#failWaiting('closed');
    for (const connection of this.#connections) connection.close();
    const cancel = this.#options.clock.after(limits.pushCloseMs, () => {
      for (const connection of this.#connections) connection.drop();
    });
    return new Promise((resolve) => {
      this.#onEmpty = () => {
        cancel();
        resolve();
      };
      this.#rest();
    });
  }

  /** Gives what waits to connections with room, and opens one where that is too little. */
  #give(): void {
    for (const connection of this.#connections) {
      // What it leaves out is there again at once, and it has no room any more.
      while (this.#waiting.length > 0 && connection.room() > 0) connection.start(this.#waiting.shift() as Exchange);
    }
    if (this.#waiting.length === 0 || this.#isClosed) return;
    const staying = [...this.#connections].filter(({ isLeaving }) => !isLeaving);
    // One that is being opened will take as much as there is room for.
    if (staying.some(({ isOpening }) => isOpening)) return;
    if (staying.length < (this.#options.connectionsMax ?? limits.pushConnectionsMax)) this.#open();
  }

  #open(): void {
    const connection = new Http2Connection(this.#options, {
      onChange: () => this.#give(),
      onLeftOut: (exchange, code) => this.#onLeftOut(exchange, code),
      onEnd: (code) => {
        this.#connections.delete(connection);
        if (code !== null) this.#onFailed(code);
        this.#give();
        this.#rest();
      },
    });
    this.#connections.add(connection);
  }

  #onLeftOut(exchange: Exchange, code: string): void {
    if (this.#isClosed || exchange.tries >= limits.pushTriesMax) exchange.settle({ kind: 'unsent', code });
    else this.#waiting.unshift(exchange);
  }

  #onFailed(code: string): void {
    // Others still work: what waits gets its turn there.
    if (this.#connections.size > 0) return;
    this.#pause = { untilMs: this.#options.clock.monotonic() + limits.pushReconnectMs, code };
    this.#failWaiting(code);
  }

  #failWaiting(code: string): void {
    for (const { settle } of this.#waiting.splice(0)) settle({ kind: 'unsent', code });
  }

  #sweep(): void {
    const nowMs = this.#options.clock.monotonic();
    for (const connection of this.#connections) connection.sweep(nowMs);
    while (nowMs - (this.#waiting[0]?.sinceMs ?? nowMs) >= limits.pushWaitMs) {
      this.#waiting.shift()?.settle({ kind: 'unsent', code: 'noStream' });
    }
    this.#give();
    this.#rest();
  }

  /** Nothing to look after any more. */
  #rest(): void {
    if (this.#connections.size > 0 || this.#waiting.length > 0) return;
    this.#cancelSweep?.();
    this.#cancelSweep = null;
    this.#onEmpty?.();
  }
}
