/** A schema in PostgreSQL of its own for a test file, with the tables of this release, dropped afterwards. */
import { randomUUID } from 'node:crypto';
import { PostgresDatabase } from '../../server/src/cluster/postgres-database.ts';
import { migratePostgres } from '../../server/src/cluster/postgres-schema.ts';

const url = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:15432/postgres';

export class TestSchema {
  readonly name = `test_${randomUUID().replaceAll('-', '')}`;
  readonly #databases: PostgresDatabase[] = [];

  /** Makes the tables, unless told not to, and connects. */
  async open(tables: 'tables' | 'no tables' = 'tables'): Promise<PostgresDatabase> {
    const database = this.connect();
    if (tables === 'tables') await migratePostgres(database);
    return database;
  }

  /** A pool more, closed with the schema. */
  connect(): PostgresDatabase {
    const database = new PostgresDatabase({ url, schema: this.name, poolSize: 4, name: 'test' });
    this.#databases.push(database);
    return database;
  }

  async empty(): Promise<void> {
    const [database] = this.#databases as [PostgresDatabase];
    const rows = await database.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> 'migrations'",
      [this.name],
    );
    await database.query(`TRUNCATE ${rows.map(({ name }) => `${database.schema}.${name}`).join(', ')}`);
  }

  async drop(): Promise<void> {
    const admin = this.connect();
    await admin.query(`DROP SCHEMA IF EXISTS ${admin.schema} CASCADE`);
    await Promise.all(this.#databases.map((database) => database.close()));
  }
}
