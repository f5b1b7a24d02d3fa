/**
 * Fan-outs in PostgreSQL, for the cluster: a row each. Progress only grows, so that an owner of the shard who is one no
 * more, and does not know it yet, takes nothing back.
 */
import type { Database } from '../base/database.ts';
import { type AudienceKey, audienceKey, splitAudienceKey } from '../base/ids.ts';
import type { FanoutId, FanoutJob, FanoutProgress } from './fanout-job.ts';
import { type FanoutState, type FanoutStore, type FanoutSummary, type FanoutsOf, summaryOf } from './fanout-store.ts';

interface Row {
  readonly id: string;
  readonly tenant: string;
  readonly shard: number;
  readonly audience: string;
  readonly source: string;
  readonly event: string;
  readonly accepted_ms: number;
  /** Null once it is done. */
  readonly record: Buffer | null;
  readonly reached: string | null;
  readonly chunks: number;
  readonly recipients: number;
  readonly kept: boolean;
  readonly done_ms: number | null;
}

const columns =
  'id, tenant, shard, audience, source, event, accepted_ms, record, reached, chunks::float8 AS chunks, recipients::float8 AS recipients, kept, done_ms';
const pruneRowsMax = 100;

export class FanoutStorePostgres implements FanoutStore {
  readonly #db: Database;
  readonly #table: string;

  /** The database is migrated, and the caller's to close. */
  constructor(db: Database) {
    this.#db = db;
    this.#table = `${db.schema}.fanouts`;
  }

  async begin(jobs: readonly FanoutJob[]): Promise<readonly FanoutJob[]> {
    const names = jobs.map(({ audience }) => splitAudienceKey(audience));
    const rows = await this.#db.query<{ id: string }>(
      `INSERT INTO ${this.#table} (id, tenant, shard, audience, source, event, accepted_ms, record)
       SELECT * FROM unnest(
         $1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::bytea[])
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [
        jobs.map(({ id }) => id),
        names.map(({ tenant }) => tenant),
        jobs.map(({ shard }) => shard),
        names.map(({ audience }) => audience),
        jobs.map(({ source }) => source),
        jobs.map(({ event }) => event),
        jobs.map(({ acceptedMs }) => acceptedMs),
        jobs.map(({ record }) => record),
      ],
    );
    const fresh = new Set(rows.map(({ id }) => id));
    return jobs.filter(({ id }) => fresh.delete(id));
  }

  async load(id: FanoutId): Promise<FanoutState | null> {
    const [row] = await this.#db.query<Row>(`SELECT ${columns} FROM ${this.#table} WHERE id = $1`, [id]);
    if (row === undefined || row.record === null) return null;
    const { shard, record, reached: after, chunks, recipients, kept } = row;
    return { job: { ...named(row), shard, record }, progress: { after, chunks, recipients, kept } };
  }

  async pending(
    shard: number,
    after: FanoutId | null,
    max: number,
  ): Promise<{ id: FanoutId; audience: AudienceKey }[]> {
    const rows = await this.#db.query<Pick<Row, 'id' | 'tenant' | 'audience'>>(
      `SELECT id, tenant, audience FROM ${this.#table}
       WHERE done_ms IS NULL AND shard = $1 AND id > $2 ORDER BY id LIMIT $3`,
      [shard, after ?? '', max],
    );
    return rows.map(({ id, tenant, audience }) => ({ id, audience: audienceKey(tenant, audience) }));
  }

  async advance({ id }: FanoutJob, { after, chunks, recipients, kept }: FanoutProgress): Promise<void> {
    await this.#db.query(
      `UPDATE ${this.#table} SET reached = $2, chunks = $3, recipients = $4, kept = $5
       WHERE id = $1 AND done_ms IS NULL AND chunks < $3`,
      [id, after, chunks, recipients, kept],
    );
  }

  async finish({ id }: FanoutJob, { chunks, recipients, kept }: FanoutProgress, doneMs: number): Promise<void> {
    await this.#db.query(
      `UPDATE ${this.#table} SET reached = NULL, record = NULL, chunks = $2, recipients = $3, done_ms = $4, kept = $5
       WHERE id = $1 AND done_ms IS NULL`,
      [id, chunks, recipients, doneMs, kept],
    );
  }

  async waiting(max: number): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT FROM ${this.#table} WHERE done_ms IS NULL LIMIT $1) AS counted`,
      [max],
    );
    return row?.count ?? 0;
  }

  async list({ tenant, audience }: FanoutsOf, max: number): Promise<readonly FanoutSummary[]> {
    const select = `SELECT ${columns.replace('record', 'NULL AS record')} FROM ${this.#table}
      WHERE tenant = $1 AND ($2::text IS NULL OR audience = $2)`;
    const name = audience === null ? null : splitAudienceKey(audience).audience;
    const ask = (which: string, limit: number): Promise<Row[]> =>
      this.#db.query<Row>(`${select} AND ${which} LIMIT $3`, [tenant, name, limit]);
    const underWay = await ask('done_ms IS NULL ORDER BY id', max);
    const done = await ask('done_ms IS NOT NULL ORDER BY id DESC', max - underWay.length);
    return [...underWay, ...done].map((row) =>
      summaryOf({ ...named(row), shard: row.shard, record: Buffer.alloc(0) }, { ...row, after: null }, row.done_ms),
    );
  }

  async prune(beforeMs: number): Promise<number> {
    const rows = await this.#db.query(
      `DELETE FROM ${this.#table} WHERE id IN (
         SELECT id FROM ${this.#table} WHERE done_ms < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [beforeMs, pruneRowsMax],
    );
    return rows.length;
  }
}

function named({ id, tenant, audience, source, event, accepted_ms: acceptedMs }: Row) {
  return { id, audience: audienceKey(tenant, audience), source, event, acceptedMs };
}
