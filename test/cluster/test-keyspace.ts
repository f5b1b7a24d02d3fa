/** A keyspace of its own for a test file, with the tables of this release, dropped afterwards. */
import { randomUUID } from 'node:crypto';
import type { Client } from 'cassandra-driver';
import { connectCassandra } from '../../server/src/cluster/cassandra-client.ts';
import { migrateCassandra } from '../../server/src/cluster/cassandra-schema.ts';

const connection = {
  contactPoints: (process.env.CASSANDRA_CONTACT_POINTS ?? '127.0.0.1:19042').split(','),
  localDataCenter: 'datacenter1',
};

export const testShards = 4;

const tables = [
  'inbox',
  'inbox_members',
  'shard_positions',
  'idempotency_answers',
  'revoked_sessions',
  'timers',
  'timer_minutes',
  'deliveries',
  'delivery_ids',
  'delivery_positions',
];

export class TestKeyspace {
  readonly name = `test_${randomUUID().replaceAll('-', '')}`;
  #clients: Client[] = [];

  /** Creates it and connects. */
  async open(): Promise<Client> {
    const admin = await connectTest(null);
    await migrateCassandra(admin, { keyspace: this.name, replication: { datacenter1: 1 }, shards: testShards });
    await admin.shutdown();
    return this.connect();
  }

  /** A connection more, closed with the keyspace. */
  async connect(): Promise<Client> {
    const client = await connectTest(this.name);
    this.#clients.push(client);
    return client;
  }

  async empty(): Promise<void> {
    const [client] = this.#clients as [Client];
    for (const table of tables) {
      await client.execute(`TRUNCATE ${table}`, [], { prepare: false });
    }
  }

  async drop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.shutdown()));
    const admin = await connectTest(null);
    await admin.execute(`DROP KEYSPACE IF EXISTS ${this.name}`, [], { prepare: false });
    await admin.shutdown();
  }
}

export function connectTest(keyspace: string | null): Promise<Client> {
  return connectCassandra({ ...connection, keyspace });
}
