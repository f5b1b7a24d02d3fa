/**
 * The whole service on a data folder of its own, in this process or in one that can be killed, with what producers and
 * people do to it. Nothing inside is replaced: the answers come over the network.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '@carillon/contract/event.ts';
import { startApp } from '../../server/src/app.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { loadConfig } from '../../server/src/base/config.ts';
import type { Log } from '../../server/src/base/log.ts';
import { systemRandom } from '../../server/src/base/random.ts';
import type { StreamHost } from '../../server/src/deliver/realtime/stream-world.contract.ts';
import { eventually } from './eventually.ts';
import { producerKey, type Tenant, userToken, writeConfig } from './flow-config.ts';
import { type Answered, okay, Person } from './person.ts';
import { type LogEntry, ServerProcess } from './server-process.ts';

export interface WorldOptions {
  /** Where the service runs: `here` starts faster, `process` can be killed. */
  readonly where?: 'here' | 'process';
  /** Top-level keys of the configuration, instead of the usual ones. */
  readonly config?: object;
  /** Of its own unless given. */
  readonly dataDir?: string;
}

interface Running {
  readonly url: string;
  readonly logged: readonly LogEntry[];
  stop(): Promise<unknown>;
}

export interface EventResult {
  readonly id: string | null;
  readonly status: 'accepted' | 'duplicate' | 'rejected';
}

export class World implements StreamHost {
  readonly folder: string;
  readonly dataDir: string;
  readonly config: string;
  readonly #where: 'here' | 'process';
  #running: Running | null = null;

  private constructor({ where = 'here', config = {}, dataDir }: WorldOptions) {
    this.folder = mkdtempSync(join(tmpdir(), 'carillon-flow-'));
    this.dataDir = dataDir ?? join(this.folder, 'data');
    this.config = writeConfig(this.folder, this.dataDir, config);
    this.#where = where;
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const world = new World(options);
    await world.resume();
    return world;
  }

  get origin(): string {
    return this.#now().url;
  }

  /** What the service has logged since its last start. */
  get logged(): readonly LogEntry[] {
    return this.#now().logged;
  }

  get process(): ServerProcess {
    const running = this.#now();
    assert.ok(running instanceof ServerProcess);
    return running;
  }

  /** Starts it, on the data there is. */
  async resume(): Promise<void> {
    this.#running = this.#where === 'process' ? await ServerProcess.start(this.config) : await startHere(this.config);
  }

  /** Stops it as asked; the data stay. */
  async pause(): Promise<void> {
    await this.#now().stop();
    this.#running = null;
  }

  async restart(): Promise<void> {
    await this.pause();
    await this.resume();
  }

  /** SIGKILL, then a start on what is left. */
  async crash(): Promise<void> {
    await this.process.kill();
    await this.resume();
  }

  async close(): Promise<void> {
    await this.#running?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Clients need not wait: whatever a stream misses before it is taken on, it gets from the inbox. */
  async accepted(): Promise<void> {}

  async person(user: string, tenant: Tenant = 't1', claims: Record<string, unknown> = {}): Promise<Person> {
    return new Person(this, await userToken(tenant, user, claims));
  }

  producer(tenant: Tenant = 't1'): Person {
    return new Person(this, producerKey(tenant));
  }

  /** Sends one event, or a list, and answers what came back. */
  post(body: Event | readonly unknown[], tenant: Tenant = 't1', headers?: Record<string, string>): Promise<Answered> {
    return this.producer(tenant).ask('POST', '/v1/events', body, headers);
  }

  /** Sends events that must all be accepted, and waits until they are in the inboxes. */
  async happen(...events: readonly Event[]): Promise<void> {
    await this.send(events);
    await this.settled();
  }

  /** Sends events that must all be accepted. */
  async send(events: readonly Event[], tenant: Tenant = 't1'): Promise<void> {
    const results = resultsOf(await this.post(events, tenant));
    assert.deepEqual(
      results.map(({ status }) => status),
      events.map(() => 'accepted'),
    );
  }

  /** Resolves once everything acknowledged is in the inboxes, and on its way to the streams. */
  async settled(): Promise<void> {
    await eventually(async () => {
      const lags = await this.metric('carillon_lag_bytes');
      return lags.length === 3 && lags.every((bytes) => bytes === 0);
    });
  }

  /** Streams open now, of all transports. */
  async openStreams(): Promise<number> {
    return (await this.metric('carillon_stream_connections')).reduce((sum, count) => sum + count, 0);
  }

  /** All series of a metric. */
  async metric(name: string): Promise<number[]> {
    const text = await (await fetch(`${this.origin}/metrics`)).text();
    return [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map((match) => Number(match[1]));
  }

  #now(): Running {
    assert.ok(this.#running !== null, 'the service does not run');
    return this.#running;
  }
}

export function resultsOf(answered: Answered): EventResult[] {
  return okay<{ results: EventResult[] }>(answered).results;
}

async function startHere(file: string): Promise<Running> {
  const logged: LogEntry[] = [];
  const log: Log = { write: (event, fields = {}) => void logged.push({ event, ...fields }) };
  const config = loadConfig({ env: {}, file });
  const app = await startApp({ config, clock: systemClock, random: systemRandom, log });
  app.failed.catch((error: unknown) => assert.fail(error as Error));
  return { url: app.url, logged, stop: () => app.stop() };
}
