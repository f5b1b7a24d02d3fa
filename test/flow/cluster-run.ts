/**
 * The service as a cluster of real processes on real services: two that take events, three that work at shards, two that
 * people speak with, behind one address. Topics, keyspace, schema and keys are of its own and removed at the end.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import type { Client } from 'cassandra-driver';
import type { FanoutStore } from '../../server/src/audience/fanout-store.ts';
import { FanoutStorePostgres } from '../../server/src/audience/fanout-store-postgres.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { loadConfig } from '../../server/src/base/config.ts';
import type { Config } from '../../server/src/base/config-schema.ts';
import { derivedConfig } from '../../server/src/base/derived-config.ts';
import { migrate } from '../../server/src/cluster/migrate.ts';
import { connectServices, type ServiceClients } from '../../server/src/cluster/service-clients.ts';
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import { InboxStoreCassandra } from '../../server/src/inbox/inbox-store-cassandra.ts';
import type { EventLog } from '../../server/src/log/event-log.ts';
import { EventLogKafka } from '../../server/src/log/event-log-kafka.ts';
import { LaneTopics } from '../../server/src/log/kafka/lane-topics.ts';
import { Edge } from './edge.ts';
import { eventually } from './eventually.ts';
import { readMetric } from './read-metric.ts';
import { type Exit, type LogEntry, ServerProcess } from './server-process.ts';
import type { ServiceRun } from './service-run.ts';

const roleSets = [
  'intake',
  'intake',
  'shard',
  'shard',
  'shard,deliver',
  'deliver',
  'gateway,api',
  'gateway,api',
] as const;

export class ClusterRun implements ServiceRun {
  readonly shards: number;
  readonly #file: string;
  readonly #config: Config;
  readonly #clients: ServiceClients;
  readonly #edge: Edge;
  readonly #store: InboxStore;
  readonly #fanouts: FanoutStore;
  #processes: readonly ServerProcess[] = [];

  private constructor(file: string, config: Config, clients: ServiceClients, edge: Edge) {
    this.#file = file;
    this.#config = config;
    this.#clients = clients;
    this.#edge = edge;
    this.shards = derivedConfig(config).shards;
    this.#fanouts = new FanoutStorePostgres(clients.database);
    this.#store = new InboxStoreCassandra({ client: clients.cassandra, clock: systemClock });
  }

  /** Prepares the services. `file`: the configuration of all processes. */
  static async open(file: string): Promise<ClusterRun> {
    const config = loadConfig({ env: process.env, file });
    await migrate(config, systemClock);
    const { keyspace } = config.cassandra;
    const clients = await connectServices({ config, clock: systemClock, name: 'flow-test', keyspace });
    return new ClusterRun(file, config, clients, await Edge.open());
  }

  get url(): string {
    return this.#edge.url;
  }

  get logged(): readonly LogEntry[] {
    return this.#processes.flatMap(({ logged }) => logged);
  }

  /** Resolves when all processes run and every shard is worked at. */
  async start(): Promise<void> {
    const starting = roleSets.map((roles) => ServerProcess.start(this.#file, ['--roles', roles]));
    const started = await Promise.allSettled(starting);
    this.#processes = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = started.find((each) => each.status === 'rejected');
    if (failed !== undefined) {
      await this.kill();
      throw failed.reason;
    }
    const urlsOf = (roles: string) => this.#processes.filter((_, at) => roleSets[at] === roles).map(({ url }) => url);
    this.#edge.use({ intakes: urlsOf('intake'), fronts: urlsOf('gateway,api') });
    await eventually(async () => (await this.metric('carillon_shards_owned'))[0] === this.shards);
  }

  /** All are asked to stop at once. Answers the worst exit. */
  async stop(): Promise<Exit> {
    return worst(await Promise.all(this.#processes.map((each) => each.stop())));
  }

  /** SIGKILL for all. */
  async kill(): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.kill()));
  }

  /** Every series of a metric, added up over the processes. */
  async metric(name: string): Promise<number[]> {
    const all = await Promise.all(this.#processes.map(({ url }) => readMetric(url, name)));
    return (all[0] ?? []).map((_, series) => all.reduce((sum, values) => sum + (values[series] ?? 0), 0));
  }

  /** Resolves once all that is in the log is applied, and all that is for audiences has gone into it. */
  async settled(): Promise<void> {
    await eventually(async () => {
      const isApplied = async (): Promise<boolean> => (await this.#unapplied()) === 0;
      // Applying begins fan-outs, and these write to the log before they are done.
      if ((await isApplied()) && (await this.#fanouts.waiting(1)) === 0 && (await isApplied())) return true;
      await new Promise<void>((resolve) => systemClock.after(10, resolve));
      return false;
    });
  }

  async withStore(work: (store: InboxStore) => Promise<unknown>): Promise<void> {
    await work(this.#store);
  }

  async withLog(work: (log: EventLog) => Promise<unknown>): Promise<void> {
    const log = new EventLogKafka({
      clients: this.#clients.kafka,
      topicPrefix: this.#config.kafka.topicPrefix,
      shards: this.shards,
      clock: systemClock,
      lostPosition: 'stop',
      onUnreadable: () => {},
      onMoved: () => {},
    });
    await work(log);
    await log.close();
  }

  /** Removes what it made in the services. */
  async close(): Promise<void> {
    await this.#edge.close();
    const { kafka, cassandra, database } = this.#clients;
    await database.query(`DROP SCHEMA IF EXISTS ${database.schema} CASCADE`);
    await kafka.admin.deleteTopics({ topics: this.#topics() });
    await dropKeyspace(cassandra, this.#config.cassandra.keyspace);
    await this.#clients.close();
  }

  async #unapplied(): Promise<number> {
    const partitions = Array.from({ length: this.shards }, (_, shard) => ({ partitionIndex: shard, timestamp: -1n }));
    const asked = this.#topics().map((name) => ({ name, partitions }));
    const [topics, ...positions] = await Promise.all([
      this.#clients.kafka.admin.listOffsets({ topics: asked }),
      ...partitions.map(({ partitionIndex }) => this.#store.positions(partitionIndex)),
    ]);
    let sum = 0;
    for (const [lane, name] of this.#topics().entries()) {
      for (const { partitionIndex, offset } of topics.find((topic) => topic.name === name)?.partitions ?? []) {
        sum += Number(offset) - (positions[partitionIndex]?.[lane] ?? 0);
      }
    }
    return sum;
  }

  #topics(): string[] {
    const topics = new LaneTopics(this.#config.kafka.topicPrefix);
    return lanes.map((lane) => topics.of(lane));
  }
}

async function dropKeyspace(client: Client, keyspace: string): Promise<void> {
  await client.execute(`DROP KEYSPACE IF EXISTS ${keyspace}`, [], { prepare: false });
}

function worst(exits: readonly Exit[]): Exit {
  const failed = exits.find(({ code }) => code !== 0);
  return { code: failed === undefined ? 0 : failed.code, tookMs: Math.max(...exits.map(({ tookMs }) => tookMs)) };
}
