import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CarillonError } from '../../../server/src/base/carillon-error.ts';
import { PostgresDatabase } from '../../../server/src/cluster/postgres-database.ts';
import { type Migration, postgresMigrations } from '../../../server/src/cluster/postgres-migrations.ts';
import { checkPostgresSchema, migratePostgres } from '../../../server/src/cluster/postgres-schema.ts';
import { TestSchema } from '../test-schema.ts';

const schemas: TestSchema[] = [];
after(() => Promise.all(schemas.map((schema) => schema.drop())));

async function fresh(): Promise<PostgresDatabase> {
  const schema = new TestSchema();
  schemas.push(schema);
  return schema.open('no tables');
}

const all = postgresMigrations.map((_, index) => index + 1);

test('all migrations are applied once, also by several at the same time', async () => {
  const database = await fresh();
  const runs = await Promise.all([1, 2, 3].map(() => migratePostgres(database)));
  assert.deepEqual(runs.map(String).toSorted(), ['', '', String(all)]);
  assert.deepEqual(await migratePostgres(database), []);
  await checkPostgresSchema(database);
});

test('a run that fails leaves nothing, and the next one does all of it', async () => {
  const database = await fresh();
  const wrong: Migration = () => ['CREATE TABLE nowhere.at_all (x int)'];
  await assert.rejects(migratePostgres(database, [...postgresMigrations, wrong]));
  await assert.rejects(checkPostgresSchema(database), /not prepared.* Run carillon migrate/);
  assert.deepEqual(await migratePostgres(database), all);
});

test('a schema of an earlier or much later release is refused in words, the next one is not (G4)', async () => {
  const database = await fresh();
  const next: Migration = (schema) => [`CREATE TABLE ${schema}.later (x int)`];
  const [one, two] = [
    [...postgresMigrations, next],
    [...postgresMigrations, next, () => []],
  ];
  await migratePostgres(database);
  await assert.rejects(checkPostgresSchema(database, one), /needs \d+\. Run carillon migrate/);
  assert.deepEqual(await migratePostgres(database, one), [all.length + 1]);
  await checkPostgresSchema(database);
  assert.deepEqual(await migratePostgres(database, two), [all.length + 2]);
  await assert.rejects(checkPostgresSchema(database), /Start a newer one/);
});

test('a transaction is all or nothing, and its connection serves again', async () => {
  const database = await fresh();
  await migratePostgres(database);
  const insert = `INSERT INTO ${database.schema}.profile_changes (tenant, person) VALUES ('t', 'ana')`;
  for (let time = 0; time < 10; time++) {
    const failing = database.transaction(async (queries) => {
      await queries.query(insert);
      throw new CarillonError('CARILLON_INTERNAL', 'on purpose');
    });
    await assert.rejects(failing, /on purpose/);
  }
  assert.deepEqual(await database.query(`SELECT id FROM ${database.schema}.profile_changes`), []);
  const answer = await database.transaction(async (queries) => {
    await queries.query(insert);
    return 7;
  });
  assert.equal(answer, 7);
  assert.equal((await database.query(`SELECT id FROM ${database.schema}.profile_changes`)).length, 1);
});

test('a database that is away says when to come again; a statement it refuses is our fault', async () => {
  const database = await fresh();
  await assert.rejects(database.query('SELECT nonsense'), (error) => !(error instanceof CarillonError));
  const options = { url: 'postgres://postgres@127.0.0.1:1/postgres', schema: 'x', poolSize: 2, name: 'test' };
  const away = new PostgresDatabase(options);
  const isUnavailable = (error: unknown): boolean =>
    error instanceof CarillonError && error.code === 'CARILLON_STORE_UNAVAILABLE' && error.retryAfterSeconds === 2;
  await assert.rejects(away.query('SELECT 1'), isUnavailable);
  await assert.rejects(
    away.transaction(async () => {}),
    isUnavailable,
  );
  await away.close();
});

test('a connection that the server ends fails what runs on it, and nothing else', async () => {
  const database = await fresh();
  const cut = database.transaction(async (queries) => {
    const [row] = await queries.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await database.query('SELECT pg_terminate_backend($1)', [row?.pid]);
    await queries.query('SELECT pg_sleep(5)');
  });
  await assert.rejects(cut, (error) => (error as CarillonError).code === 'CARILLON_STORE_UNAVAILABLE');
  assert.deepEqual(await database.query('SELECT 1 AS one'), [{ one: 1 }]);
});
