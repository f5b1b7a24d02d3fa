/** The service's API as a soak uses it: does not give up while the service is down, as it is all the time. */
import { systemClock } from '../../server/src/base/clock.ts';
import { pause } from '../crash/crashing-server.ts';
import type { PlannedEndpoint } from './soak-plan.ts';

const atOnce = 16;
const peopleAtOnce = 500;
/** Within this the service is there again, or is taken for broken. */
const patienceMs = 60_000;

/** What each provider's credentials are for. */
export const appOf = { apns: 'com.example.soak', fcm: 'soak-android', smtp: '' } as const;

/** What of a dead letter says which delivery it is. */
export interface ListedLetter {
  readonly channel: 'push' | 'email';
  readonly notification: string;
  readonly endpoint: string;
}

type Caller = { readonly user: string } | { readonly source: string } | { readonly role: string };

export class SoakApi {
  readonly #url: string;
  readonly #tokens = new Map<string, string>();
  /** By device id: its token. */
  readonly tokens = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Says all addresses and registers all devices. */
  async introduce(endpoints: readonly PlannedEndpoint[]): Promise<void> {
    const people = endpoints
      .filter(({ channel }) => channel === 'email')
      .map(({ user, name }) => `${JSON.stringify({ id: user, email: name, emailVerified: true })}\n`);
    for (let at = 0; at < people.length; at += peopleAtOnce) {
      const body = people.slice(at, at + peopleAtOnce).join('');
      const answer = await this.#call({ source: 'trace' }, 'POST', '/v1/users', { type: 'application/x-ndjson', body });
      const { results } = answer as { results: { status: string }[] };
      if (results.some(({ status }) => status !== 'stored'))
        throw new Error(`not stored: ${JSON.stringify(results[0])}`);
    }
    const devices = endpoints.filter(({ channel }) => channel === 'push');
    await inParallel(devices, (device) => this.register(device));
  }

  async register({ user, name: token, provider }: PlannedEndpoint): Promise<void> {
    const body = JSON.stringify({ provider, token, app: appOf[provider], environment: 'production' });
    const { id } = (await this.#call({ user }, 'POST', '/v1/devices', { type: 'application/json', body })) as {
      id: string;
    };
    this.tokens.set(id, token);
  }

  /** Each person's devices, by their tokens. */
  async devicesOf(users: readonly string[]): Promise<{ user: string; token: string }[]> {
    const found: { user: string; token: string }[] = [];
    await inParallel(users, async (user) => {
      const { items } = (await this.#call({ user }, 'GET', '/v1/devices')) as { items: { id: string }[] };
      for (const { id } of items) found.push({ user, token: this.tokens.get(id) ?? id });
    });
    return found;
  }

  async deadLetters(): Promise<ListedLetter[]> {
    const found: ListedLetter[] = [];
    for (let cursor = ''; ; ) {
      const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await this.#call({ role: 'admin' }, 'GET', `/v1/admin/dead-letters?limit=1000${after}`);
      const { items, count, nextCursor } = page as { items: ListedLetter[]; count: number; nextCursor: string | null };
      found.push(...items);
      if (nextCursor === null) {
        if (found.length !== count) throw new Error(`${count} dead letters are counted, ${found.length} listed`);
        return found;
      }
      cursor = nextCursor;
    }
  }

  async #call(caller: Caller, method: string, path: string, sent?: { type: string; body: string }): Promise<unknown> {
    const began = systemClock.monotonic();
    for (;;) {
      try {
        const headers = {
          authorization: `Bearer ${await this.#token(caller)}`,
          ...(sent && { 'content-type': sent.type }),
        };
        const answer = await fetch(this.#url + path, { method, headers, body: sent?.body ?? null });
        const text = await answer.text();
        if (answer.ok) return text === '' ? null : JSON.parse(text);
        if (answer.status < 500 && answer.status !== 429)
          throw new Refused(`${method} ${path}: ${answer.status} ${text}`);
      } catch (error) {
        if (error instanceof Refused || systemClock.monotonic() - began > patienceMs) throw error;
      }
      await pause(50);
    }
  }

  async #token(caller: Caller): Promise<string> {
    const body = JSON.stringify(caller);
    const known = this.#tokens.get(body);
    if (known !== undefined) return known;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${this.#url}/v1/dev/token`, { method: 'POST', body, headers });
    if (!answer.ok) throw new Error(`no token: ${answer.status}`);
    const { token } = (await answer.json()) as { token: string };
    this.#tokens.set(body, token);
    return token;
  }
}

class Refused extends Error {}

async function inParallel<Each>(all: readonly Each[], work: (each: Each) => Promise<void>): Promise<void> {
  const left = all.values();
  const workNext = async (): Promise<void> => {
    for (const each of left) await work(each);
  };
  await Promise.all(Array.from({ length: atOnce }, workNext));
}
