/**
 * Broadcasts in PostgreSQL, for the cluster. Whoever keeps one holds its tenant's row of numbers until the end of the
 * transaction: so numbers become visible in their order (BC-03).
 */
import type { Database } from '../base/database.ts';
import {
  type AudienceKey,
  audienceKey,
  type PersonKey,
  splitAudienceKey,
  splitPersonKey,
  type TenantId,
} from '../base/ids.ts';
import type { Broadcast, BroadcastStore, NumberedBroadcast } from './broadcast-store.ts';

interface Row {
  readonly tenant: string;
  readonly number: number;
  readonly id: string;
  readonly audience: string;
  readonly type: string;
  readonly accepted_ms: number;
}

const columns = 'tenant, number::float8 AS number, id, audience, type, accepted_ms';
const pruneRowsMax = 100;

export class BroadcastStorePostgres implements BroadcastStore {
  readonly #db: Database;

  /** The database is migrated, and the caller's to close. */
  constructor(db: Database) {
    this.#db = db;
  }

  keep({ id, audience: key, type, acceptedMs }: Broadcast, record: Buffer): Promise<number> {
    const { schema } = this.#db;
    const { tenant, audience } = splitAudienceKey(key);
    return this.#db.transaction(async ({ query }) => {
      await query(`INSERT INTO ${schema}.broadcast_numbers VALUES ($1, 0) ON CONFLICT DO NOTHING`, [tenant]);
      const [last] = await query<{ newest: number }>(
        `SELECT newest::float8 AS newest FROM ${schema}.broadcast_numbers WHERE tenant = $1 FOR UPDATE`,
        [tenant],
      );
      const [known] = await query<{ number: number }>(
        `SELECT number::float8 AS number FROM ${schema}.broadcasts WHERE id = $1`,
        [id],
      );
      if (known !== undefined) return known.number;
      const number = (last?.newest ?? 0) + 1;
      await query(
        `INSERT INTO ${schema}.broadcasts (tenant, number, id, audience, type, accepted_ms, record)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [tenant, number, id, audience, type, acceptedMs, record],
      );
      await query(`UPDATE ${schema}.broadcast_numbers SET newest = $2 WHERE tenant = $1`, [tenant, number]);
      return number;
    });
  }

  async newest(tenant: TenantId): Promise<number> {
    const [row] = await this.#db.query<{ newest: number }>(
      `SELECT newest::float8 AS newest FROM ${this.#db.schema}.broadcast_numbers WHERE tenant = $1`,
      [tenant],
    );
    return row?.newest ?? 0;
  }

  async recent(tenant: TenantId, max: number): Promise<readonly NumberedBroadcast[]> {
    const rows = await this.#db.query<Row>(
      `SELECT ${columns} FROM ${this.#db.schema}.broadcasts WHERE tenant = $1 ORDER BY broadcasts.number DESC LIMIT $2`,
      [tenant, max],
    );
    return rows.map(toBroadcast).reverse();
  }

  async ofAudiences(keys: readonly AudienceKey[], after: number, max: number): Promise<readonly NumberedBroadcast[]> {
    const [first] = keys;
    if (first === undefined) return [];
    const { tenant } = splitAudienceKey(first);
    const names = keys.map((key) => splitAudienceKey(key).audience);
    const rows = await this.#db.query<Row>(
      `SELECT ${columns} FROM ${this.#db.schema}.broadcasts
       WHERE tenant = $1 AND audience = ANY($2::text[]) AND broadcasts.number > $3
       ORDER BY broadcasts.number DESC LIMIT $4`,
      [tenant, names, after, max],
    );
    return rows.map(toBroadcast).reverse();
  }

  async records(tenant: TenantId, numbers: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
    const rows = await this.#db.query<{ number: number; record: Buffer }>(
      `SELECT number::float8 AS number, record FROM ${this.#db.schema}.broadcasts
       WHERE tenant = $1 AND broadcasts.number = ANY($2::bigint[])`,
      [tenant, numbers],
    );
    return new Map(rows.map(({ number, record }) => [number, record]));
  }

  async through(people: readonly PersonKey[]): Promise<readonly number[]> {
    const names = people.map(splitPersonKey);
    const rows = await this.#db.query<{ tenant: string; person: string; through: number }>(
      `SELECT tenant, person, through::float8 AS through FROM ${this.#db.schema}.broadcast_readers
       JOIN unnest($1::text[], $2::text[]) AS asked (tenant, person) USING (tenant, person)`,
      [names.map(({ tenant }) => tenant), names.map(({ user }) => user)],
    );
    const found = new Map(rows.map(({ tenant, person, through }) => [`${tenant}\u0001${person}`, through]));
    return people.map((person) => found.get(person) ?? 0);
  }

  async advance(people: readonly PersonKey[], through: number): Promise<void> {
    if (people.length === 0) return;
    const names = [...new Set(people)].sort().map(splitPersonKey);
    await this.#db.query(
      `INSERT INTO ${this.#db.schema}.broadcast_readers (tenant, person, through)
       SELECT tenant, person, $3 FROM unnest($1::text[], $2::text[]) AS asked (tenant, person)
       ON CONFLICT (tenant, person) DO UPDATE SET through = excluded.through
       WHERE broadcast_readers.through < excluded.through`,
      [names.map(({ tenant }) => tenant), names.map(({ user }) => user), through],
    );
  }

  async prune(beforeMs: number): Promise<number> {
    const { schema } = this.#db;
    const rows = await this.#db.query(
      `DELETE FROM ${schema}.broadcasts WHERE id IN (
         SELECT id FROM ${schema}.broadcasts WHERE accepted_ms < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [beforeMs, pruneRowsMax],
    );
    return rows.length;
  }
}

function toBroadcast({ tenant, number, id, audience, type, accepted_ms: acceptedMs }: Row): NumberedBroadcast {
  return { number, id, audience: audienceKey(tenant, audience), type, acceptedMs };
}
