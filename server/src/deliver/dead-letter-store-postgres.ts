/** Dead letters in PostgreSQL, for the cluster engine: a row each. */
import type { Database } from '../base/database.ts';
import { personKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from './dead-letter-store.ts';

type Row = Omit<DeadLetter, 'person'> & { readonly tenant: string; readonly user: string };

const columns = `tenant, name, person AS "user", channel, endpoint, state, provider, code, attempts, version,
  died_ms AS "diedAtMs"`;

export class DeadLetterStorePostgres implements DeadLetterStore {
  readonly #db: Database;
  readonly #table: string;

  /** Migrated, and the caller's to close. */
  constructor(db: Database) {
    this.#db = db;
    this.#table = `${db.schema}.dead_letters`;
  }

  async put(letters: readonly DeadLetter[]): Promise<void> {
    for (const letter of letters) {
      const { name, channel, endpoint, state, provider, code, attempts, version, diedAtMs } = letter;
      const { tenant, user } = splitPersonKey(letter.person);
      await this.#db.query(
        `INSERT INTO ${this.#table} AS known
           (tenant, name, person, channel, endpoint, state, provider, code, attempts, version, died_ms)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (tenant, name) DO UPDATE SET state = EXCLUDED.state, provider = EXCLUDED.provider,
           code = EXCLUDED.code, attempts = EXCLUDED.attempts, version = EXCLUDED.version, died_ms = EXCLUDED.died_ms
         WHERE known.version <= EXCLUDED.version`,
        [tenant, name, user, channel, endpoint, state, provider, code, attempts, version, diedAtMs],
      );
    }
  }

  async page(
    tenant: TenantId,
    filter: DeadLetterFilter,
    after: string | null,
    max: number,
  ): Promise<readonly DeadLetter[]> {
    const { where, values } = conditions(tenant, filter);
    const rows = await this.#db.query<Row>(
      `SELECT ${columns} FROM ${this.#table} WHERE ${where} AND name > $${values.length + 1}
       ORDER BY name LIMIT $${values.length + 2}`,
      [...values, after ?? '', max],
    );
    return rows.map(({ tenant: of, user, ...letter }) => ({ ...letter, person: personKey(of, user) }));
  }

  async count(tenant: TenantId, filter: DeadLetterFilter): Promise<number> {
    const { where, values } = conditions(tenant, filter);
    const [row] = await this.#db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${this.#table} WHERE ${where}`,
      values,
    );
    return row?.count ?? 0;
  }

  async remove(letters: readonly Pick<DeadLetter, 'person' | 'name'>[]): Promise<void> {
    for (const { person, name } of letters) {
      await this.#db.query(`DELETE FROM ${this.#table} WHERE tenant = $1 AND name = $2`, [
        splitPersonKey(person).tenant,
        name,
      ]);
    }
  }

  async expire(beforeMs: number): Promise<number> {
    const gone = await this.#db.query(
      `DELETE FROM ${this.#table} WHERE (tenant, name) IN
         (SELECT tenant, name FROM ${this.#table} WHERE died_ms < $1 LIMIT $2) RETURNING name`,
      [beforeMs, limits.deliveriesExpireStep],
    );
    return gone.length;
  }
}

const columnOf = { channel: 'channel', provider: 'provider', code: 'code', user: 'person', state: 'state' } as const;

function conditions(tenant: TenantId, filter: DeadLetterFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [tenant];
  const parts = ['tenant = $1'];
  for (const [key, column] of Object.entries(columnOf)) {
    const value = filter[key as keyof DeadLetterFilter];
    if (value === undefined) continue;
    values.push(value);
    parts.push(`${column} = $${values.length}`);
  }
  return { where: parts.join(' AND '), values };
}
