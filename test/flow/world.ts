/**
 * The whole service on data of its own, with what producers and people do to it. Nothing inside is replaced: the answers
 * come over the network. It is the embedded engine, or a cluster of processes where `CARILLON_TEST_ENGINE=cluster`: the
 * same cases must hold on both.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '@carillon/contract/event.ts';
import { systemRandom } from '../../server/src/base/random.ts';
import type { StreamHost } from '../../server/src/deliver/realtime/stream-world.contract.ts';
import { EmbeddedRun } from './embedded-run.ts';
import { producerKey, type Tenant, userToken, writeConfig } from './flow-config.ts';
import { type Answered, okay, Person } from './person.ts';
import type { Exit, LogEntry } from './server-process.ts';
import type { ServiceRun } from './service-run.ts';

export const isCluster = process.env.CARILLON_TEST_ENGINE === 'cluster';

/** Of tests about the disk of the embedded engine, which a cluster has not. */
export const embeddedOnly = { skip: isCluster && 'about the disk of the embedded engine' } as const;

export interface WorldOptions {
  /** Where the embedded engine runs: `here` starts faster, `process` can be killed. */
  readonly where?: 'here' | 'process';
  /** Top-level keys of the configuration, instead of the usual ones. */
  readonly config?: object;
  /** Of its own unless given. */
  readonly dataDir?: string;
}

export interface EventResult {
  readonly id: string | null;
  readonly status: 'accepted' | 'duplicate' | 'rejected';
}

export class World implements StreamHost {
  readonly folder: string;
  readonly dataDir: string;
  readonly config: string;
  readonly #run: ServiceRun;
  #isRunning = false;

  private constructor(folder: string, { dataDir, config }: { dataDir: string; config: string }, run: ServiceRun) {
    this.folder = folder;
    this.dataDir = dataDir;
    this.config = config;
    this.#run = run;
  }

  static async start({ where = 'here', config = {}, ...options }: WorldOptions = {}): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-flow-'));
    const dataDir = options.dataDir ?? join(folder, 'data');
    const file = writeConfig(folder, dataDir, { ...(isCluster ? clusterConfig() : {}), ...config });
    const run = isCluster ? await openCluster(file) : new EmbeddedRun(file, where);
    const world = new World(folder, { dataDir, config: file }, run);
    await world.resume();
    return world;
  }

  get origin(): string {
    return this.#run.url;
  }

  get shards(): number {
    return this.#run.shards;
  }

  /** What the service has logged since its last start. */
  get logged(): readonly LogEntry[] {
    return this.#run.logged;
  }

  /** Starts it, on the data there is. */
  async resume(): Promise<void> {
    await this.#run.start();
    this.#isRunning = true;
  }

  /** Stops it as asked; the data stay. */
  async pause(): Promise<Exit> {
    this.#isRunning = false;
    return this.#run.stop();
  }

  async restart(): Promise<void> {
    await this.pause();
    await this.resume();
  }

  /** SIGKILL, then a start on what is left. */
  async crash(): Promise<void> {
    this.#isRunning = false;
    await this.#run.kill();
    await this.resume();
  }

  async close(): Promise<void> {
    if (this.#isRunning) await this.pause();
    await this.#run.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What nobody can do to the log from outside; while the service is paused. */
  withLog: ServiceRun['withLog'] = (work) => this.#run.withLog(work);
  withStore: ServiceRun['withStore'] = (work) => this.#run.withStore(work);

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
  settled(): Promise<void> {
    return this.#run.settled();
  }

  /** Streams open now, of all transports. */
  async openStreams(): Promise<number> {
    return (await this.metric('carillon_stream_connections')).reduce((sum, count) => sum + count, 0);
  }

  /** All series of a metric. */
  metric(name: string): Promise<number[]> {
    return this.#run.metric(name);
  }
}

export function resultsOf(answered: Answered): EventResult[] {
  return okay<{ results: EventResult[] }>(answered).results;
}

/** Only where it is asked for: clients of the services are large. */
async function openCluster(file: string): Promise<ServiceRun> {
  const { ClusterRun } = await import('./cluster-run.ts');
  return ClusterRun.open(file);
}

function clusterConfig(): object {
  const name = `flow${systemRandom.hex(6)}`;
  return {
    engine: 'cluster',
    shards: 4,
    kafka: { topicPrefix: name, replicationFactor: 1 },
    cassandra: { keyspace: name, replicationFactor: 1 },
    redis: { keyPrefix: `${name}:` },
    postgres: { schema: name },
  };
}
