/** A person's app: reads and marks the inbox over HTTP, and keeps a list from a stream, as the documentation says. */
import assert from 'node:assert/strict';
import type { Counts, Notification, NotificationPage } from '@carillon/contract/notification.ts';
import type { OpenStream, StreamClient, StreamHost } from '../../server/src/deliver/realtime/stream-world.contract.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** As it came. */
  readonly text: string;
}

export class Person {
  readonly #host: StreamHost;
  readonly token: string;

  constructor(host: StreamHost, token: string) {
    this.#host = host;
    this.token = token;
  }

  async ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answered> {
    const response = await fetch(this.#host.origin + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The answer to a request that must succeed. */
  async get<Answer>(path: string): Promise<Answer> {
    return okay(await this.ask('GET', path));
  }

  page(query = ''): Promise<NotificationPage> {
    return this.get(`/v1/notifications?${query}`);
  }

  /** Every page to the end. Fails where a page repeats a row, or the end comes with rows. */
  async pages(query = ''): Promise<NotificationPage[]> {
    const pages: NotificationPage[] = [];
    const seen = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: NotificationPage = await this.page(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      for (const { id } of page.items) {
        assert.ok(!seen.has(id), `${id} comes twice`);
        seen.add(id);
      }
      pages.push(page);
      cursor = page.nextCursor;
    }
    return pages;
  }

  async inbox(query = 'limit=100'): Promise<Notification[]> {
    return (await this.pages(query)).flatMap(({ items }) => items);
  }

  counts(): Promise<Counts> {
    return this.get('/v1/notifications/counts');
  }

  async unread(): Promise<number> {
    const { unread } = await this.counts();
    // At every step the number is what the list can show (I4).
    assert.equal((await this.inbox('state=unread&limit=100')).length, unread);
    return unread;
  }

  async mark(kind: string, body: object): Promise<Counts> {
    return okay<{ counts: Counts }>(await this.ask('POST', `/v1/notifications/${kind}`, body)).counts;
  }

  /** Whether the person was told of what the row last had to tell. */
  async told(id: string): Promise<boolean> {
    const { decisions } = await this.get<{ decisions: { kind: string }[] }>(`/v1/notifications/${id}/why`);
    return decisions.some(({ kind }) => kind === 'send');
  }

  open(open: OpenStream, since: number | null = null): Promise<StreamClient> {
    return open(this.#host, { token: this.token, since });
  }
}

export function okay<Answer>({ status, text }: Answered): Answer {
  assert.ok(status >= 200 && status < 300, `${status} ${text}`);
  return JSON.parse(text) as Answer;
}

/** One line per row, as a case tells it. */
export function rows(items: readonly Notification[]): string[] {
  return items.map(({ type, object, actors }) => {
    const people = actors.map(({ id }) => id).toSorted();
    return `${type} ${object.kind}:${object.id} ${people.join('+')}`;
  });
}

/** What a client that was at `items` shows after the frames it got since. Newest first, as the inbox. */
export function listAfter(items: readonly Notification[], { frames }: StreamClient): Notification[] {
  const list = new Map(items.map((item) => [item.id, item]));
  const through = { read: 0, seen: 0 };
  for (const frame of frames) {
    if (frame.kind === 'changes') {
      for (const id of frame.removed) list.delete(id);
      for (const item of frame.items) list.set(item.id, item);
    } else if (frame.kind === 'marks') {
      for (const item of list.values()) {
        const read = item.state.read || isBetween(item, through.read, frame.readThrough);
        const seen = read || item.state.seen || isBetween(item, through.seen, frame.seenThrough);
        list.set(item.id, { ...item, state: { ...item.state, read, seen } });
      }
      through.read = frame.readThrough;
      through.seen = frame.seenThrough;
      for (const { id, state } of frame.items) {
        const item = list.get(id);
        if (item !== undefined) list.set(id, { ...item, state });
      }
    }
  }
  return [...list.values()].sort(
    (a, b) => Date.parse(b.activityAt) - Date.parse(a.activityAt) || (a.id < b.id ? 1 : -1),
  );
}

function isBetween({ activityRevision }: Notification, from: number, to: number): boolean {
  return activityRevision > from && activityRevision <= to;
}
