/**
 * A person's device over WebSocket that never gives up: it resumes from its last revision at whichever gateway takes it,
 * loads the list anew when told to, and notes a stream that repeats or steps back (V30).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Counts, Notification, NotificationPage } from '@carillon/contract/notification.ts';
import type { ChangesFrame, ServerFrame } from '@carillon/contract/stream.ts';
import { WebSocket } from 'ws';

/** So many rows a device loads: the oldest of thousands are of no interest to anyone. */
export const rowsMax = 300;

const againAfterMs = 200;
const openWithinMs = 5000;
const answerWithinMs = 20_000;

export class Watcher {
  readonly user: string;
  readonly items = new Map<string, Notification>();
  readonly faults: string[] = [];
  counts: Counts | null = null;
  frames = 0;
  connections = 0;
  resyncs = 0;
  /** Through-marks that were answered, and that were asked for: those in between may have been set or not. */
  seenAnswered = 0;
  seenAsked = 0;
  readonly #gateways: readonly string[];
  #token = '';
  #turn: number;
  #revision: number | null = null;
  #socket: WebSocket | null = null;
  #isStopped = false;
  #running: Promise<void> | null = null;

  /** `gateways`: where it may connect; it begins with a different one depending on `turn`. */
  constructor(user: string, gateways: readonly string[], turn: number) {
    this.user = user;
    this.#gateways = gateways;
    this.#turn = turn;
  }

  start(): void {
    this.#running = this.#stayConnected();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#socket?.terminate();
    await this.#running;
  }

  /** The inbox's newest rows now, page by page. Rejects when no gateway answers in time. */
  async list(): Promise<Notification[]> {
    const items: Notification[] = [];
    for (let cursor: string | null = ''; cursor !== null && items.length < rowsMax; ) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await this.#get(`/v1/notifications?limit=100${query}`)) as NotificationPage;
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  }

  /** Marks everything that is shown as seen, once, whatever comes of it. */
  async markSeen(): Promise<void> {
    const through = this.#revision ?? 0;
    if (this.#token === '' || through === 0) return;
    this.seenAsked = Math.max(this.seenAsked, through);
    try {
      const headers = { authorization: `Bearer ${this.#token}` };
      await this.#ask('/v1/notifications/seen', { method: 'POST', headers, body: JSON.stringify({ through }) });
      this.seenAnswered = Math.max(this.seenAnswered, through);
    } catch {
      this.#turn++;
    }
  }

  async #stayConnected(): Promise<void> {
    while (!this.#isStopped) {
      try {
        this.#token ||= await this.#newToken();
        await this.#session();
      } catch {
        this.#turn++;
      }
      await pause(againAfterMs);
    }
  }

  /** Resolves when the connection is over. Rejects when none came about. */
  async #session(): Promise<void> {
    const since = this.#revision === null ? '' : `?since=${this.#revision}`;
    const url = `${this.#gateway().replace('http', 'ws')}/v1/stream${since}`;
    const protocols = ['carillon.v1', `bearer.${this.#token}`];
    const socket = new WebSocket(url, protocols, { handshakeTimeout: openWithinMs });
    this.#socket = socket;
    const session: Session = { isOpen: false, helloRevision: 0, meanwhile: null };
    socket.on('message', (data) => this.#take(JSON.parse(String(data)) as ServerFrame, session, socket));
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => {
        session.isOpen = true;
        this.connections++;
      });
      socket.once('error', reject);
      socket.once('close', () => (session.isOpen ? resolve() : reject(new Error('closed'))));
    }).finally(() => {
      session.isOpen = false;
    });
  }

  #take(frame: ServerFrame, session: Session, socket: WebSocket): void {
    if (!session.isOpen) return;
    this.frames++;
    switch (frame.kind) {
      case 'hello':
        session.helloRevision = frame.revision;
        this.counts = frame.counts;
        // Nothing is known yet: the list is loaded, and what happens meanwhile is added to it.
        if (this.#revision === null) void this.#reload(session, socket);
        break;
      case 'ping':
        socket.send(JSON.stringify({ kind: 'pong' }));
        break;
      case 'resync':
        this.resyncs++;
        void this.#reload(session, socket);
        break;
      case 'changes':
        if (session.meanwhile !== null) session.meanwhile.push(frame);
        else this.#change(frame, true);
        break;
    }
  }

  async #reload(session: Session, socket: WebSocket): Promise<void> {
    session.meanwhile = [];
    try {
      const items = await this.list();
      if (!session.isOpen) return;
      this.items.clear();
      for (const item of items) this.items.set(item.id, item);
      this.#revision = session.helloRevision;
      const { meanwhile } = session;
      session.meanwhile = null;
      // The list was read after the hello and may know some of it already.
      for (const frame of meanwhile) this.#change(frame, false);
    } catch {
      // The next connection is told to load again, because the revision is still the old one.
      socket.terminate();
    }
  }

  #change(frame: ChangesFrame, isStrict: boolean): void {
    const { items, removed, revision } = frame;
    const before = this.#revision ?? 0;
    if (revision < before) this.faults.push(`changes step back from ${before} to ${revision}`);
    if (isStrict && revision === before && items.length > 0) this.faults.push(`changes of ${revision} come twice`);
    for (const item of items) {
      const known = this.items.get(item.id);
      if (known === undefined || known.revision <= item.revision) this.items.set(item.id, item);
      else if (isStrict) this.faults.push(`${item.id} steps back from ${known.revision} to ${item.revision}`);
    }
    for (const id of removed) this.items.delete(id);
    this.#revision = revision;
    this.counts = frame.counts;
  }

  async #newToken(): Promise<string> {
    const body = JSON.stringify({ user: this.user });
    const answer = await this.#ask('/v1/dev/token', { method: 'POST', body });
    return ((await answer.json()) as { token: string }).token;
  }

  async #get(path: string): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await (await this.#ask(path, { headers: { authorization: `Bearer ${this.#token}` } })).json();
      } catch (error) {
        if (attempt >= 10) throw error;
        this.#turn++;
        await pause(againAfterMs);
      }
    }
  }

  async #ask(path: string, request: RequestInit): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...request.headers };
    const signal = AbortSignal.timeout(answerWithinMs);
    const answer = await fetch(this.#gateway() + path, { ...request, headers, signal });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  #gateway(): string {
    return this.#gateways[this.#turn % this.#gateways.length] as string;
  }
}

interface Session {
  isOpen: boolean;
  helloRevision: number;
  /** Frames that came while the list was being read. */
  meanwhile: ChangesFrame[] | null;
}
