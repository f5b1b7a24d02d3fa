import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import {
  CassandraSchemaError,
  checkCassandraSchema,
  migrateCassandra,
} from '../../../server/src/cluster/cassandra-schema.ts';
import { connectTest } from '../test-keyspace.ts';

const keyspaces: string[] = [];
const client = await connectTest(null);
after(async () => {
  for (const keyspace of keyspaces) await client.execute(`DROP KEYSPACE IF EXISTS ${keyspace}`, [], { prepare: false });
  await client.shutdown();
});

function fresh(shards = 4) {
  const keyspace = `test_${randomUUID().replaceAll('-', '')}`;
  keyspaces.push(keyspace);
  return { keyspace, replication: { datacenter1: 1 }, shards };
}

const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof CassandraSchemaError && pattern.test(error.message);

test('without tables a start is refused with what to do', async () => {
  await assert.rejects(checkCassandraSchema(client, fresh()), refused(/carillon migrate/));
});

test('migrating is recorded, and again does nothing', async () => {
  const options = fresh();
  const applied = await migrateCassandra(client, options);
  assert.notEqual(applied.length, 0);
  assert.deepEqual(
    applied,
    applied.map((_, at) => at + 1),
  );
  assert.deepEqual(await migrateCassandra(client, options), []);
  await checkCassandraSchema(client, options);
});

test('a run that was cut off is finished by the next', async () => {
  const options = fresh();
  const all = await migrateCassandra(client, options);
  await client.execute(`DROP TABLE ${options.keyspace}.inbox_members`, [], { prepare: false });
  await client.execute(`TRUNCATE ${options.keyspace}.migrations`, [], { prepare: false });
  await assert.rejects(checkCassandraSchema(client, options), refused(/number 0.*carillon migrate/));
  assert.deepEqual(await migrateCassandra(client, options), all);
  await client.execute(`SELECT * FROM ${options.keyspace}.inbox_members`);
});

test('two processes that migrate at once both end well', async () => {
  const options = fresh();
  const other = await connectTest(null);
  await Promise.all([migrateCassandra(client, options), migrateCassandra(other, options)]);
  await other.shutdown();
  await checkCassandraSchema(client, options);
});

test('the number of shards is fixed with the first migration', async () => {
  const options = fresh(4);
  await migrateCassandra(client, options);
  await assert.rejects(migrateCassandra(client, { ...options, shards: 8 }), refused(/4 shards.*says 8/));
  await assert.rejects(checkCassandraSchema(client, { ...options, shards: 8 }), refused(/4 shards.*says 8/));
});

test('a schema of the next release is accepted, one beyond that is not', async () => {
  const options = fresh();
  const newest = (await migrateCassandra(client, options)).length;
  const note = (version: number) =>
    client.execute(
      `INSERT INTO ${options.keyspace}.migrations (name, version, value) VALUES ('migration', ${version}, '')`,
    );
  await note(newest + 1);
  await checkCassandraSchema(client, options);
  await note(newest + 2);
  await assert.rejects(checkCassandraSchema(client, options), refused(new RegExp(`number ${newest + 2}.*newer`)));
});

test('a keyspace with another kind of name is refused', async () => {
  await assert.rejects(migrateCassandra(client, { ...fresh(), keyspace: 'a; DROP' }), refused(/no name/));
});
