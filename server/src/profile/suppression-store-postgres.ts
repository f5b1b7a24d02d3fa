/**
 * Suppressions in PostgreSQL, for the cluster: a row per address. Changes of one address wait for each other on a lock of
 * its index, since there may be no row yet.
 */
import type { Clock } from '../base/clock.ts';
import type { Database, Queries } from '../base/database.ts';
import type { TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Resealable, Resealed } from './resealing.ts';
import { changeSuppression, type Suppression } from './suppression.ts';
import { type SuppressionRow, SuppressionRows } from './suppression-row.ts';
import type {
  AddressChange,
  ChangedSuppression,
  StoredSuppression,
  StoredSuppressionPage,
  SuppressionPage,
  SuppressionStore,
} from './suppression-store.ts';

export interface SuppressionStorePostgresParts {
  /** Migrated, and the caller's to close. */
  readonly db: Database;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly softBouncesMax: number;
}

/** As selected by `columns`. */
type Row = SuppressionRow & { readonly tenant: TenantId; readonly index: string };

const columns = `tenant, address_index AS "index", address AS sealed, reason, since_ms AS "sinceMs", told_by AS "by", code,
  soft_days AS "softDays", cleared_ms AS "clearedMs"`;

export class SuppressionStorePostgres implements SuppressionStore, Resealable {
  readonly #parts: SuppressionStorePostgresParts;
  readonly #rows: SuppressionRows;
  readonly #table: string;

  constructor(parts: SuppressionStorePostgresParts) {
    this.#parts = parts;
    this.#rows = new SuppressionRows(parts.box);
    this.#table = `${parts.db.schema}.suppressions`;
  }

  async find(tenant: TenantId, addresses: readonly string[]): Promise<readonly (Suppression | null)[]> {
    const indexes = addresses.map((address) => this.#rows.indexOf(tenant, address));
    const stored = await this.#stored(this.#parts.db, indexes);
    return indexes.map((index) => stored.get(index) ?? null);
  }

  async change(changes: readonly AddressChange[]): Promise<readonly ChangedSuppression[]> {
    const outcomes: ChangedSuppression[] = [];
    for (let at = 0; at < changes.length; at += limits.profileChangesPerStep) {
      outcomes.push(...(await this.#changeSome(changes.slice(at, at + limits.profileChangesPerStep))));
    }
    return outcomes;
  }

  async page(tenant: TenantId, after: string | null, max: number): Promise<SuppressionPage> {
    const rows = await this.#parts.db.query<Row>(
      `SELECT ${columns} FROM ${this.#table}
       WHERE tenant = $1 AND address_index > $2 AND reason IS NOT NULL ORDER BY address_index LIMIT $3`,
      [tenant, after ?? '', max],
    );
    const items = rows.map((row) => this.#toSuppression(row));
    return { items, next: rows.length < max ? null : (rows.at(-1)?.index ?? null) };
  }

  async everything(after: string | null, max: number): Promise<StoredSuppressionPage> {
    const rows = await this.#parts.db.query<Row>(
      `SELECT ${columns} FROM ${this.#table} WHERE address_index > $1 AND address <> '' ORDER BY address_index LIMIT $2`,
      [after ?? '', max],
    );
    const items = rows.map((row) => ({ tenant: row.tenant, suppression: this.#toSuppression(row) }));
    return { items, next: rows.length < max ? null : (rows.at(-1)?.index ?? null) };
  }

  restore(suppressions: readonly StoredSuppression[]): Promise<void> {
    return this.#parts.db.transaction(async (queries) => {
      for (const stored of suppressions)
        await this.#put(queries, this.#rows.indexOf(stored.tenant, stored.suppression.address), stored);
    });
  }

  async reseal(after: string | null, max: number): Promise<Resealed> {
    const rows = await this.#parts.db.query<Row>(
      `SELECT ${columns} FROM ${this.#table} WHERE address_index > $1 ORDER BY address_index LIMIT $2`,
      [after ?? '', max],
    );
    let changed = 0;
    for (const { tenant, index, ...row } of rows) {
      const anew = this.#rows.reseal(tenant, row);
      if (anew === null) continue;
      const sql = `UPDATE ${this.#table} SET address = $1 WHERE address_index = $2 AND address = $3`;
      await this.#parts.db.query(sql, [anew.sealed, index, row.sealed]);
      changed++;
    }
    return { next: rows.at(-1)?.index ?? null, changed };
  }

  #changeSome(changes: readonly AddressChange[]): Promise<readonly ChangedSuppression[]> {
    const { db, clock, softBouncesMax } = this.#parts;
    const indexes = changes.map(({ tenant, address }) => this.#rows.indexOf(tenant, address));
    return db.transaction(async (queries) => {
      // In one order for all, so that no two wait for each other.
      await queries.query(
        `SELECT pg_advisory_xact_lock(key) FROM (SELECT DISTINCT hashtextextended(name, 0) AS key
         FROM unnest($1::text[]) AS name ORDER BY key) AS keys`,
        [indexes.map((index) => `suppression ${index}`)],
      );
      const known = await this.#stored(queries, indexes);
      const rules = { softBouncesMax, nowMs: clock.now() };
      const written = new Map<string, { tenant: TenantId; suppression: Suppression }>();
      const outcomes = changes.map(({ tenant, address, change }, at) => {
        const index = indexes[at] as string;
        const before = known.get(index) ?? null;
        const suppression = changeSuppression(before, address, change, rules);
        if (suppression !== null && suppression !== before) {
          known.set(index, suppression);
          written.set(index, { tenant, suppression });
        }
        return { suppression, hasNewReason: suppression?.reason !== before?.reason };
      });
      for (const [index, { tenant, suppression }] of written) await this.#put(queries, index, { tenant, suppression });
      return outcomes;
    });
  }

  async #put(queries: Queries, index: string, { tenant, suppression }: StoredSuppression): Promise<void> {
    const { sealed, reason, sinceMs, by, code, softDays, clearedMs } = this.#rows.toRow(tenant, suppression);
    await queries.query(
      `INSERT INTO ${this.#table}
         (tenant, address_index, address, reason, since_ms, told_by, code, soft_days, cleared_ms)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (tenant, address_index) DO UPDATE SET address = excluded.address, reason = excluded.reason,
         since_ms = excluded.since_ms, told_by = excluded.told_by, code = excluded.code,
         soft_days = excluded.soft_days, cleared_ms = excluded.cleared_ms`,
      [tenant, index, sealed, reason, sinceMs, by, code, softDays, clearedMs],
    );
  }

  /** An index is of one tenant alone. */
  async #stored(queries: Queries, indexes: readonly string[]): Promise<Map<string, Suppression>> {
    if (indexes.length === 0) return new Map();
    const sql = `SELECT ${columns} FROM ${this.#table} WHERE address_index = ANY($1::text[])`;
    const rows = await queries.query<Row>(sql, [indexes]);
    return new Map(rows.map((row) => [row.index, this.#toSuppression(row)]));
  }

  #toSuppression({ tenant, index: _, ...row }: Row): Suppression {
    return this.#rows.toSuppression(tenant, row);
  }
}
