/**
 * One connection of a pool. Says of each exchange whether it was answered, may have been looked at (`lost`) or certainly was
 * not (`unsent`): refused, above the last stream that GOAWAY names, or never written.
 *
 *   opening ── settings ──▶ open ── at rest too long, or an answer too late ──▶ asked ── pong ──▶ open
 *      │                      │  GOAWAY: no new streams, those below its last one finish       │ no pong
 *      └──── failed ──────────┴───────────────▶ ended ◀─────────────────────────────────────────┘
 */
import http2 from 'node:http2';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { ProviderReply } from './provider-reply.ts';

export interface Exchange {
  readonly headers: http2.OutgoingHttpHeaders;
  readonly body: string | Uint8Array;
  /** Given to a connection so often. */
  tries: number;
  sinceMs: number;
  readonly settle: (reply: ProviderReply) => void;
}

export interface ConnectionOptions {
  readonly origin: string;
  readonly clock: Clock;
  /** Apple: one stream until a request was let in. */
  readonly startsWithOneStream: boolean;
  readonly ca?: string;
  readonly lookup?: LookupFunction;
}

export interface ConnectionEvents {
  /** There may be room, or none any more. */
  readonly onChange: () => void;
  /** Not looked at by the provider: to be given to another connection. */
  readonly onLeftOut: (exchange: Exchange, code: string) => void;
  /** `code`: why it never opened, or null if it did. */
  readonly onEnd: (code: string | null) => void;
}

interface UnderWay {
  readonly exchange: Exchange;
  readonly stream: http2.ClientHttp2Stream;
  isSettled: boolean;
}

type Headers = http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader;
type State = 'opening' | 'open' | 'asked' | 'leaving' | 'ended';

/** Why no stream can be begun any more; whatever else Node says is about the request. */
const endOfSession = new Set(['ERR_HTTP2_INVALID_SESSION', 'ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_OUT_OF_STREAMS']);

const refusedStream = http2.constants.NGHTTP2_REFUSED_STREAM;

export class Http2Connection {
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #socket: Socket;
  /** Null until the socket is connected. */
  #session: http2.ClientHttp2Session | null = null;
  readonly #underWay = new Set<UnderWay>();
  #state: State = 'opening';
  #isLetIn: boolean;
  #streamsMax = 0;
  #lastStream = Number.POSITIVE_INFINITY;
  #code = 'closed';
  #usedMs: number;
  #cancelWait: () => void;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
    this.#isLetIn = !options.startsWithOneStream;
    this.#usedMs = options.clock.monotonic();
    this.#socket = connectSocket(options);
    this.#cancelWait = options.clock.after(limits.pushConnectMs, () => this.#fail('connectTimeout'));
    this.#socket.once(this.#socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => this.#onConnected());
    this.#socket.on('error', (error) => this.#onError(error));
    this.#socket.once('close', () => {
      if (this.#session === null) this.#onClose();
    });
  }

  get isOpening(): boolean {
    return this.#state === 'opening' || this.#state === 'asked';
  }

  /** It takes nothing more: another may be opened in its place. */
  get isLeaving(): boolean {
    return this.#state === 'leaving' || this.#state === 'ended';
  }

  /** Streams that may be opened now. Asks a connection that has been at rest whether it lives, and has none meanwhile. */
  room(): number {
    if (this.#state !== 'open') return 0;
    if (this.#underWay.size === 0 && this.#options.clock.monotonic() - this.#usedMs > limits.pushRestMs) {
      this.#ask();
      return 0;
    }
    return (this.#isLetIn ? this.#streamsMax : 1) - this.#underWay.size;
  }

  start(exchange: Exchange): void {
    this.#usedMs = this.#options.clock.monotonic();
    exchange.tries++;
    exchange.sinceMs = this.#usedMs;
    try {
      const stream = this.#opened().request(exchange.headers);
      this.#read({ exchange, stream, isSettled: false });
      stream.end(exchange.body);
    } catch (error) {
      this.#onNotStarted(exchange, (error as NodeJS.ErrnoException).code ?? 'connectionError');
    }
  }

  /** Ends what was begun too long ago; then the connection must show that it lives. */
  sweep(nowMs: number): void {
    let isLate = false;
    for (const entry of this.#underWay) {
      if (nowMs - entry.exchange.sinceMs < limits.pushAnswerMs) break;
      isLate = true;
      entry.isSettled = true;
      this.#underWay.delete(entry);
      entry.exchange.settle({ kind: 'lost', code: 'answerTimeout' });
      entry.stream.close(http2.constants.NGHTTP2_CANCEL);
    }
    if (isLate && this.#state === 'open') this.#ask();
    this.#endIfDone();
  }

  /** What is under way may finish. */
  close(): void {
    if (this.#state !== 'ended') this.#leave('closed');
  }

  #onNotStarted(exchange: Exchange, code: string): void {
    if (endOfSession.has(code)) {
      this.#leave(code);
      this.#events.onLeftOut(exchange, code);
    } else {
      exchange.settle({ kind: 'unsent', code });
    }
  }

  /** What is under way is lost. */
  drop(): void {
    this.#fail('closed');
  }

  #read(entry: UnderWay): void {
    const { stream } = entry;
    const parts: Buffer[] = [];
    let headers: Headers | null = null;
    let bytes = 0;
    const finish = (): void => {
      if (entry.isSettled) return;
      entry.isSettled = true;
      this.#finish(entry, headers, parts.length === 0 ? '' : Buffer.concat(parts).toString());
    };
    stream.on('response', (given) => {
      headers = given;
    });
    stream.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= limits.pushAnswerBytesMax) parts.push(part);
    });
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#state === 'open') this.#code = error.code ?? 'streamError';
    });
    stream.on('end', finish);
    stream.on('close', finish);
    this.#underWay.add(entry);
  }

  #finish(entry: UnderWay, headers: Headers | null, body: string): void {
    const { exchange, stream } = entry;
    this.#underWay.delete(entry);
    const status = headers?.[':status'];
    if (headers !== null && status !== undefined) {
      if (status !== 401 && status !== 403) this.#isLetIn = true;
      exchange.settle({ kind: 'answer', status, headers, body });
    } else if (stream.rstCode === refusedStream || stream.id === undefined || stream.id > this.#lastStream) {
      this.#events.onLeftOut(exchange, this.#code);
    } else {
      exchange.settle({ kind: 'lost', code: this.#code });
    }
    this.#endIfDone();
    this.#events.onChange();
  }

  /** Node ends the process where a session is made of a socket that is gone: so it is made only now. */
  #onConnected(): void {
    if (this.#socket instanceof TLSSocket && this.#socket.alpnProtocol !== 'h2') {
      this.#fail('noHttp2');
      return;
    }
    const session = http2.connect(this.#options.origin, {
      createConnection: () => this.#socket,
      settings: { enablePush: false },
    });
    this.#session = session;
    session.on('remoteSettings', ({ maxConcurrentStreams }) => this.#onSettings(maxConcurrentStreams));
    session.on('goaway', (_code, last, data) => this.#onGoaway(last, data));
    session.on('error', (error) => this.#onError(error));
    session.on('close', () => this.#onClose());
  }

  #onError(error: NodeJS.ErrnoException): void {
    this.#code = error.code ?? 'connectionError';
  }

  #opened(): http2.ClientHttp2Session {
    if (this.#session === null) throw new Error('streams are begun on open connections only');
    return this.#session;
  }

  #onSettings(maxConcurrentStreams: number | undefined): void {
    this.#streamsMax = Math.min(maxConcurrentStreams ?? limits.pushSendsMax, limits.pushSendsMax);
    if (this.#state === 'opening') {
      this.#cancelWait();
      this.#state = 'open';
    }
    this.#events.onChange();
  }

  #onGoaway(last: number, data: Uint8Array | undefined): void {
    this.#lastStream = Math.min(this.#lastStream, last);
    this.#leave(goawayCode(data));
    this.#events.onChange();
  }

  #ask(): void {
    this.#state = 'asked';
    this.#cancelWait = this.#options.clock.after(limits.pushPingMs, () => this.#fail('pingTimeout'));
    const session = this.#opened();
    const isWritten =
      !session.destroyed &&
      session.ping((error) => {
        this.#cancelWait();
        if (this.#state !== 'asked') return;
        if (error !== null) return this.#fail('pingFailed');
        this.#state = 'open';
        this.#usedMs = this.#options.clock.monotonic();
        this.#events.onChange();
      });
    if (!isWritten) this.#fail('pingFailed');
  }

  #leave(code: string): void {
    this.#code = code;
    if (this.#state === 'ended') return;
    this.#state = 'leaving';
    this.#cancelWait();
    this.#session?.close();
    this.#endIfDone();
  }

  /** A session that was closed waits for the other side to close the socket, which after GOAWAY some never do. */
  #endIfDone(): void {
    if (this.#state === 'leaving' && this.#underWay.size === 0) this.#socket.destroy();
  }

  #fail(code: string): void {
    this.#code = code;
    this.#socket.destroy();
  }

  #onClose(): void {
    this.#cancelWait();
    const wasOpened = this.#state !== 'opening';
    this.#state = 'ended';
    this.#events.onEnd(wasOpened ? null : this.#code);
  }
}

/** The name is looked up anew each time, as Apple asks for. */
function connectSocket({ origin, ca, lookup }: ConnectionOptions): Socket {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const to = { host, port: Number(port || 443), noDelay: true, ...(lookup && { lookup }) };
  if (protocol === 'http:') return connectPlain(to);
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({
    ...to,
    ...name,
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    ...(ca && { ca }),
  });
}

/** Apple says why: `{"reason":"…"}`. Only a word is taken from it, since it may be logged. */
function goawayCode(data: Uint8Array | undefined): string {
  const reason = /"reason"\s*:\s*"(\w{1,64})"/.exec(Buffer.from(data ?? []).toString('latin1'))?.[1];
  return reason === undefined ? 'goaway' : `goaway${reason}`;
}
