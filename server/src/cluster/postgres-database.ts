/** PostgreSQL by a pool of connections: one for a process, shared by all stores that lie there (G2). */
import pg from 'pg';
import { CarillonError } from '../base/carillon-error.ts';
import type { Database, Queries } from '../base/database.ts';
import { limits } from '../base/limits.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, without parameters. */
  readonly url: string;
  /** Of all tables, unquoted. */
  readonly schema: string;
  /** Connections at most. */
  readonly poolSize: number;
  /** As the server shows it among its clients. */
  readonly name: string;
  readonly tls?: { readonly ca?: Buffer; readonly rejectUnauthorized: true };
}

type Client = pg.Pool | pg.PoolClient;

export class PostgresDatabase implements Database {
  readonly schema: string;
  readonly #pool: pg.Pool;

  constructor({ url, schema, poolSize, name, tls }: PostgresOptions) {
    this.schema = `"${schema}"`;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: poolSize,
      application_name: name,
      connectionTimeoutMillis: limits.databaseConnectMs,
      query_timeout: limits.databaseStatementMs,
      idleTimeoutMillis: limits.databaseIdleMs,
      keepAlive: true,
      ...(tls === undefined ? {} : { ssl: tls }),
    });
    // An idle connection was lost: whoever asks next gets another.
    this.#pool.on('error', () => {});
  }

  /** Rejects unless the server answers, with the driver's own error. */
  async check(): Promise<void> {
    await this.#pool.query('SELECT 1');
  }

  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    return ask(this.#pool, sql, values);
  }

  async transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect().catch(retell);
    // Lost while nobody asks it anything: the next statement says so.
    const ignore = (): void => {};
    client.on('error', ignore);
    try {
      await ask(client, 'BEGIN');
      const result = await work({ query: (sql, values) => ask(client, sql, values) });
      await ask(client, 'COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Closing the connection takes the transaction back, also where a statement still runs.
      client.release(true);
      throw error;
    } finally {
      client.off('error', ignore);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

async function ask<Row extends object>(client: Client, sql: string, values?: readonly unknown[]): Promise<Row[]> {
  const { rows } = await client.query<Row>(sql, values === undefined ? [] : [...values]).catch(retell);
  return rows;
}

/** Classes and codes of the server's errors that pass: connection, resources, operator, and a standby that only reads. */
const passing = /^(08|53|57|25006|40)/;

/** What passes is CARILLON_STORE_UNAVAILABLE; a statement the server refuses is a fault of ours and stays as it is. */
export function databaseFailure(error: unknown): unknown {
  const isRefused = error instanceof pg.DatabaseError && !passing.test(error.code ?? '');
  if (isRefused || error instanceof TypeError || error instanceof CarillonError) return error;
  return new CarillonError('CARILLON_STORE_UNAVAILABLE', 'The database does not answer.', {
    retryAfterSeconds: limits.storeRetrySeconds,
    cause: error,
  });
}

function retell(error: unknown): never {
  throw databaseFailure(error);
}
