/**
 * How the tables in PostgreSQL come about (G4): all missing migrations are applied as one transaction, so that a run that
 * was cut off leaves nothing, and two at once go one after the other. A release works with the schema of its own number
 * and of the next one, so that processes can be replaced one by one.
 */
import type { Database, Queries } from '../base/database.ts';
import { type Migration, postgresMigrations } from './postgres-migrations.ts';

/** The schema is not as this release needs it. Says what to do. */
export class PostgresSchemaError extends Error {
  override readonly name = 'PostgresSchemaError';
}

/** Transactions are compared by numbers that older servers do not have. */
const serverVersionMin = 13;
/** Names the lock of migrations among those of the database. */
const migrationLock = 'carillon migrations';

/** Answers the numbers of the migrations applied. May be run at any time. */
export function migratePostgres(
  database: Database,
  migrations: readonly Migration[] = postgresMigrations,
): Promise<readonly number[]> {
  const { schema } = database;
  return database.transaction(async (queries) => {
    await requireVersion(queries);
    await queries.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [migrationLock]);
    const [found] = await queries.query<{ schema: string | null }>('SELECT to_regnamespace($1)::text AS schema', [
      schema,
    ]);
    // Not `IF NOT EXISTS`: that asks for the right to make one also where it is there.
    if (found?.schema === null) await queries.query(`CREATE SCHEMA ${schema}`);
    await queries.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.migrations (
         version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
    const applied: number[] = [];
    const version = await versionOf(queries, schema);
    for (const [index, statements] of migrations.entries()) {
      const number = index + 1;
      if (number <= version) continue;
      for (const statement of statements(schema)) await queries.query(statement);
      await queries.query(`INSERT INTO ${schema}.migrations (version) VALUES ($1)`, [number]);
      applied.push(number);
    }
    return applied;
  });
}

/** Rejects with what to do unless the tables are as this release needs them. */
export async function checkPostgresSchema(
  database: Database,
  migrations: readonly Migration[] = postgresMigrations,
): Promise<void> {
  const needed = migrations.length;
  const { schema } = database;
  const version = await versionOf(database, schema).catch((error: unknown) => {
    throw isMissing(error) ? notMigrated(`there are no tables in its schema ${schema}`) : error;
  });
  if (version < needed) throw notMigrated(`its schema is number ${version}, this release needs ${needed}`);
  if (version > needed + 1) {
    throw new PostgresSchemaError(
      `The schema ${schema} in PostgreSQL is number ${version}; this release works with ${needed} and ${needed + 1}. Start a newer one.`,
    );
  }
}

async function versionOf(queries: Queries, schema: string): Promise<number> {
  const [row] = await queries.query<{ version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM ${schema}.migrations`,
  );
  return row?.version ?? 0;
}

async function requireVersion(queries: Queries): Promise<void> {
  const [row] = await queries.query<{ server_version_num: string }>('SHOW server_version_num');
  const version = Math.floor(Number(row?.server_version_num) / 10_000);
  if (version >= serverVersionMin) return;
  throw new PostgresSchemaError(`PostgreSQL ${version} is too old: ${serverVersionMin} or later is needed.`);
}

function notMigrated(what: string): PostgresSchemaError {
  return new PostgresSchemaError(`PostgreSQL is not prepared: ${what}. Run carillon migrate.`);
}

/** Schema or table. */
function isMissing(error: unknown): boolean {
  return /^(3F000|42P01)$/.test(String((error as { code?: unknown }).code));
}
