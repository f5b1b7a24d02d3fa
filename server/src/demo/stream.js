/**
 * The live stream of one person over WebSocket (V30, V33): token in the first frame, resumed by revision.
 *
 * States: `connecting` → `live` → (`waiting` → `connecting` …) | `offline` (the browser says so) | `stopped` (told not to
 * return). Back-off has full jitter and begins anew once a `hello` has arrived. The socket is a hint: every gap is filled
 * by the server from the revision the page has, so a lost frame costs nothing.
 */
import { backoffMs } from './api.js';

const backoffFirstMs = 500;
const backoffMaxMs = 20_000;
/** Silence after which a connection counts as dead: two heartbeats and some. */
const silenceHeartbeats = 2.4;

export class LiveStream {
  #options;
  #socket = null;
  #attempt = 0;
  #renewToken = false;
  #retryTimer = 0;
  #silenceTimer = 0;
  #heartbeatMs = 25_000;
  #notBeforeMs = 0;
  #closed = false;
  #abort = new AbortController();

  /**
   * `token(renew)` → promise; `since()` → the revision the page has, or null; `onFrame(frame)`;
   * `onState(state, retryAtMs)`.
   */
  constructor(options) {
    this.#options = options;
    const { signal } = this.#abort;
    addEventListener('online', () => this.#reconnectNow(), { signal });
    addEventListener('offline', () => this.#goOffline(), { signal });
    document.addEventListener('visibilitychange', () => this.#sendVisible(), { signal });
    if (navigator.onLine) this.#connect();
    else this.#goOffline();
  }

  close() {
    this.#closed = true;
    this.#abort.abort();
    this.#dropSocket();
    clearTimeout(this.#retryTimer);
  }

  /** Tries at once, for a person who does not want to wait. */
  retryNow() {
    this.#reconnectNow();
  }

  async #connect() {
    this.#dropSocket();
    clearTimeout(this.#retryTimer);
    this.#options.onState('connecting');
    let token;
    try {
      token = await this.#options.token(this.#renewToken);
    } catch {
      return this.#retryLater();
    }
    if (this.#closed || this.#socket !== null || !navigator.onLine) return;
    this.#renewToken = false;
    const socket = new WebSocket(new URL('/v1/stream', location.href.replace(/^http/, 'ws')));
    this.#socket = socket;
    socket.addEventListener('open', () => {
      const since = this.#options.since();
      socket.send(JSON.stringify({ kind: 'auth', token, ...(since === null ? {} : { since }) }));
      this.#expectSound();
    });
    socket.addEventListener('message', (event) => {
      if (socket === this.#socket) this.#receive(JSON.parse(event.data));
    });
    socket.addEventListener('close', (event) => {
      if (socket === this.#socket) this.#afterClose(event.code);
    });
  }

  #receive(frame) {
    this.#expectSound();
    switch (frame.kind) {
      case 'ping':
        this.#send({ kind: 'pong' });
        return;
      case 'bye':
        this.#notBeforeMs = Date.now() + (frame.retryAfterMs ?? 0);
        return;
      case 'hello':
        this.#attempt = 0;
        this.#notBeforeMs = 0;
        this.#heartbeatMs = frame.heartbeatMs;
        this.#options.onState('live');
        // Only now: before it has proven the token the server takes nothing else.
        this.#sendVisible();
        break;
    }
    this.#options.onFrame(frame);
  }

  /** The range of the code says what to do (contract: close codes). */
  #afterClose(code) {
    this.#dropSocket();
    if (code >= 4200 && code < 4300) this.#options.onState('stopped');
    else {
      this.#renewToken = code >= 4100 && code < 4200;
      this.#retryLater();
    }
  }

  #retryLater() {
    if (this.#closed) return;
    if (!navigator.onLine) return this.#goOffline();
    const jitterMs = backoffMs(this.#attempt++, backoffFirstMs, backoffMaxMs);
    const delayMs = Math.max(jitterMs, this.#notBeforeMs - Date.now() + jitterMs);
    this.#options.onState('waiting', Date.now() + delayMs);
    this.#retryTimer = setTimeout(() => this.#connect(), delayMs);
  }

  #reconnectNow() {
    this.#attempt = 0;
    if (this.#socket === null) this.#connect();
  }

  #goOffline() {
    this.#dropSocket();
    clearTimeout(this.#retryTimer);
    this.#options.onState('offline');
  }

  #sendVisible() {
    this.#send({ kind: 'visible', visible: document.visibilityState === 'visible' });
  }

  #send(frame) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** A connection can die without a word, behind a proxy or after sleep: silence for too long ends it. */
  #expectSound() {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => {
      this.#dropSocket();
      this.#retryLater();
    }, this.#heartbeatMs * silenceHeartbeats);
  }

  #dropSocket() {
    clearTimeout(this.#silenceTimer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }
}
