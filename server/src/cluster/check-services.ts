/** Whether the services of a cluster are there, and as this release needs them. Each fault says what to do. */
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import { derivedConfig } from '../base/derived-config.ts';
import { checkTopics } from '../log/kafka/ensure-topics.ts';
import { checkCassandraSchema } from './cassandra-schema.ts';
import { logPrefixes } from './channel-logs.ts';
import { checkPostgresSchema } from './postgres-schema.ts';
import { connectServices, type ServiceClients } from './service-clients.ts';

/** `carillon check`. Rejects with what is wrong. */
export async function checkServices(config: Config, clock: Clock): Promise<void> {
  const clients = await connectServices({ config, clock, name: 'carillon-check', keyspace: config.cassandra.keyspace });
  try {
    await checkPrepared(config, clients);
  } finally {
    await clients.close();
  }
}

export async function checkPrepared(config: Config, { kafka, cassandra, database }: ServiceClients): Promise<void> {
  const { shards } = derivedConfig(config);
  await checkCassandraSchema(cassandra, { keyspace: config.cassandra.keyspace, replication: {}, shards });
  await checkPostgresSchema(database);
  for (const topicPrefix of logPrefixes(config.kafka.topicPrefix))
    await checkTopics(kafka.admin, { topicPrefix, shards });
}
