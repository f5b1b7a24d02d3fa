/** `carillon migrate`: the topics and tables that the cluster engine needs, made or brought up to this release (G4). */
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import { derivedConfig } from '../base/derived-config.ts';
import { createEventTopics } from '../intake/topic/create-event-topics.ts';
import { ensureTopics } from '../log/kafka/ensure-topics.ts';
import { migrateCassandra } from './cassandra-schema.ts';
import { logPrefixes } from './channel-logs.ts';
import { eventTopics } from './event-topics.ts';
import { migratePostgres } from './postgres-schema.ts';
import { connectServices } from './service-clients.ts';

/** Brokers drop nothing by themselves: the owners of shards drop what is old enough and applied. */
const forEver = -1;

/** May be run at any time, also by several at once. Answers what it did, line by line. */
export async function migrate(config: Config, clock: Clock): Promise<string[]> {
  const { shards, logReplication, storeReplication } = derivedConfig(config);
  const { localDataCenter, keyspace } = config.cassandra;
  const { topicPrefix } = config.kafka;
  const clients = await connectServices({ config, clock, name: 'carillon-migrate', keyspace: null });
  try {
    const replication = { [localDataCenter]: storeReplication };
    // First, since it knows how many shards there have been so far.
    const applied = await migrateCassandra(clients.cassandra, { keyspace, replication, shards });
    const appliedInPostgres = await migratePostgres(clients.database);
    const settings = { shards, replicationFactor: logReplication, keptMs: forEver };
    const topics: Awaited<ReturnType<typeof ensureTopics>>[number][] = [];
    for (const prefix of logPrefixes(topicPrefix)) {
      topics.push(...(await ensureTopics(clients.kafka.admin, { ...settings, topicPrefix: prefix }, clock)));
    }
    const made: string[] = [];
    for (const topic of eventTopics(config)) {
      made.push(
        ...(await createEventTopics(clients.kafka.admin, topic, { partitions: shards, replicas: logReplication })),
      );
    }
    return [
      `keyspace ${keyspace}: ${didOf(applied)}`,
      `schema ${config.postgres.schema}: ${didOf(appliedInPostgres)}`,
      ...topics.map(({ topic, did }) => `topic ${topic}: ${did === 'nothing' ? 'up to date' : did}`),
      ...made.map((topic) => `topic ${topic}: created`),
    ];
  } finally {
    await clients.close();
  }
}

function didOf(migrations: readonly number[]): string {
  return migrations.length === 0 ? 'up to date' : `migrated (${migrations.join(', ')})`;
}
