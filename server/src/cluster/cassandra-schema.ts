/**
 * Tables of the cluster engine in Cassandra or ScyllaDB, and how they come about (G4).
 *
 * Migrations are numbered, applied in order and recorded; each statement may be repeated, so a run that was cut off is
 * simply run again. All of them go to one node, the one with the least address: it takes statements about the schema in
 * turn, so two processes that migrate at once cannot make two tables of one name. A release works with the schema of
 * its own number and of the next one, so that processes can be replaced one by one.
 * Statements are plain CQL without lightweight transactions, materialized views or secondary indexes.
 */
import type { Client, types } from 'cassandra-driver';

export interface CassandraSchemaOptions {
  readonly keyspace: string;
  /** Copies of each row by data center; only used when the keyspace is created. */
  readonly replication: Readonly<Record<string, number>>;
  /** Number of shards: fixed with the first migration. */
  readonly shards: number;
}

/** The schema is not as this release needs it. Says what to do. */
export class CassandraSchemaError extends Error {
  override readonly name = 'CassandraSchemaError';
}

/** Deleted rows are remembered so long: nodes must be repaired within that, or rows past their time come back once. */
const graceSeconds = 3 * 24 * 3600;

/** By number, from 1. Never change one that has been released: add another. */
const migrations: readonly ((keyspace: string, compaction: string) => readonly string[])[] = [
  (keyspace, compaction) => [
    `CREATE TABLE IF NOT EXISTS ${keyspace}.inbox (
       tenant text, user text, id text, item text, facts map<text, text>,
       PRIMARY KEY ((tenant, user), id)
     ) WITH CLUSTERING ORDER BY (id DESC) AND gc_grace_seconds = ${graceSeconds} AND compaction = ${compaction}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.inbox_members (
       tenant text, user text, id text, revision bigint, members text,
       PRIMARY KEY ((tenant, user), id, revision)
     ) WITH gc_grace_seconds = ${graceSeconds} AND compaction = ${compaction}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.shard_positions (shard int PRIMARY KEY, positions text)`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.idempotency_answers (key text PRIMARY KEY, answer text, expires_at bigint)
     WITH gc_grace_seconds = ${graceSeconds}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.revoked_sessions (
       bucket int, session text, until bigint, PRIMARY KEY (bucket, session)
     ) WITH gc_grace_seconds = ${graceSeconds}`,
  ],
  (keyspace, compaction) => [
    `CREATE TABLE IF NOT EXISTS ${keyspace}.timers (
       shard int, minute int, due_ms bigint, id text, timer text, is_done boolean,
       PRIMARY KEY ((shard, minute), due_ms, id)
     ) WITH gc_grace_seconds = ${graceSeconds} AND compaction = ${compaction}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.timer_minutes (shard int, minute int, PRIMARY KEY (shard, minute))
     WITH gc_grace_seconds = ${graceSeconds}`,
  ],
  (keyspace, compaction) => [
    `CREATE TABLE IF NOT EXISTS ${keyspace}.deliveries (
       tenant text, user text, notification text, channel text, number int, endpoint text, data text,
       PRIMARY KEY ((tenant, user), notification, channel, number, endpoint)
     ) WITH gc_grace_seconds = ${graceSeconds} AND compaction = ${compaction}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.delivery_ids (
       provider text, provider_id text, tenant text, user text, telling text, PRIMARY KEY ((provider, provider_id))
     ) WITH gc_grace_seconds = ${graceSeconds}`,
    `CREATE TABLE IF NOT EXISTS ${keyspace}.delivery_positions (
       channel text, shard int, positions text, PRIMARY KEY (channel, shard)
     )`,
  ],
];

/** Brings the schema up to this release. Answers the numbers of the migrations applied. May be run at any time. */
export async function migrateCassandra(client: Client, options: CassandraSchemaOptions): Promise<readonly number[]> {
  const { keyspace, replication, shards } = options;
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(keyspace)) {
    throw new CassandraSchemaError(`${keyspace} is no name for a keyspace: a-z, 0-9 and _, at most 48.`);
  }
  const schema = new Schema(client, keyspace);
  const copies = Object.entries(replication).map(([center, count]) => `'${center.replaceAll("'", "''")}': ${count}`);
  await schema.change(
    `CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication = {${["'class': 'NetworkTopologyStrategy'", ...copies].join(', ')}}`,
  );
  await schema.change(
    `CREATE TABLE IF NOT EXISTS ${keyspace}.migrations (name text, version int, value text, PRIMARY KEY (name, version))`,
  );
  const applied: number[] = [];
  const { version } = await schema.state();
  for (const [index, statements] of migrations.entries()) {
    const number = index + 1;
    if (number <= version) continue;
    for (const statement of statements(keyspace, await schema.compaction())) await schema.change(statement);
    await schema.note('migration', number, 'applied');
    applied.push(number);
  }
  // Of two at once the greater number stays, and the other is told when it starts.
  if ((await schema.state()).shards === null) await schema.note('shards', 0, String(shards));
  requireShards((await schema.state()).shards, shards);
  return applied;
}

/** Rejects with what to do unless the tables are as this release needs them, for this number of shards. */
export async function checkCassandraSchema(
  client: Client,
  { keyspace, shards }: CassandraSchemaOptions,
): Promise<void> {
  const state = await new Schema(client, keyspace).state().catch((error: unknown) => {
    throw isMissing(error) ? notMigrated(`keyspace ${keyspace} has no tables`) : error;
  });
  const needed = migrations.length;
  if (state.version < needed) throw notMigrated(`its schema is number ${state.version}, this release needs ${needed}`);
  if (state.version > needed + 1) {
    throw new CassandraSchemaError(
      `The schema of keyspace ${keyspace} is number ${state.version}; this release works with ${needed} and ${needed + 1}. Start a newer one.`,
    );
  }
  requireShards(state.shards, shards);
}

class Schema {
  readonly #client: Client;
  readonly #keyspace: string;

  constructor(client: Client, keyspace: string) {
    this.#client = client;
    this.#keyspace = keyspace;
  }

  /** Applies a statement about tables; the driver waits until all nodes know of it. */
  async change(statement: string): Promise<void> {
    const host = leastHost(this.#client);
    const result = await this.#client.execute(statement, [], { prepare: false, ...(host ? { host } : {}) });
    // The types of the driver lack it.
    const { isSchemaInAgreement } = result.info as unknown as { isSchemaInAgreement: boolean };
    if (!isSchemaInAgreement) throw new CassandraSchemaError('The nodes do not agree on the schema: run it again.');
  }

  async note(name: string, version: number, value: string): Promise<void> {
    // A timestamp of its own makes of two at once the same one win everywhere.
    const query = `INSERT INTO ${this.#keyspace}.migrations (name, version, value) VALUES (?, ?, ?) USING TIMESTAMP 1`;
    await this.#client.execute(query, [name, version, value]);
  }

  async state(): Promise<{ version: number; shards: number | null }> {
    const { rows } = await this.#client.execute(`SELECT name, version, value FROM ${this.#keyspace}.migrations`);
    const versions = rows.filter((row) => row.name === 'migration').map((row) => row.version as number);
    const shards = rows.find((row) => row.name === 'shards');
    return { version: Math.max(0, ...versions), shards: shards === undefined ? null : Number(shards.value) };
  }

  /** Rows are overwritten for a day and then rest; reads want few files. Only Cassandra 5 has the unified strategy. */
  async compaction(): Promise<string> {
    const { rows } = await this.#client.execute('SELECT release_version FROM system.local');
    const major = Number.parseInt((rows[0] as types.Row).release_version, 10);
    return major >= 5 ? "{'class': 'UnifiedCompactionStrategy'}" : "{'class': 'LeveledCompactionStrategy'}";
  }
}

function leastHost(client: Client) {
  const up = client.hosts.values().filter((host) => host.isUp());
  return up.sort((a, b) => (a.address < b.address ? -1 : 1))[0];
}

function requireShards(recorded: number | null, shards: number): void {
  if (recorded === shards) return;
  throw new CassandraSchemaError(
    `The stored inboxes are of ${recorded ?? 'an unknown number of'} shards, the configuration says ${shards}: set it to that number.`,
  );
}

function notMigrated(what: string): CassandraSchemaError {
  return new CassandraSchemaError(`Cassandra is not prepared: ${what}. Run carillon migrate.`);
}

/** Keyspace or table: Cassandra answers both as an invalid request. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    /(keyspace|table|columnfamily) .*(does not|doesn't) exist|unconfigured table/i.test(error.message)
  );
}
