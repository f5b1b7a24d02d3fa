/** Which keys are needed, in PostgreSQL: a row for each. */
import type { Database } from '../base/database.ts';
import type { KeyRegister } from './key-register.ts';

export class KeyRegisterPostgres implements KeyRegister {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async all(): Promise<ReadonlyMap<string, string>> {
    const sql = `SELECT name, proof FROM ${this.#db.schema}.encryption_keys`;
    const rows = await this.#db.query<{ name: string; proof: string }>(sql);
    return new Map(rows.map(({ name, proof }) => [name, proof]));
  }

  async add(proofs: ReadonlyMap<string, string>): Promise<void> {
    await this.#db.query(
      `INSERT INTO ${this.#db.schema}.encryption_keys (name, proof) SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT DO NOTHING`,
      [[...proofs.keys()], [...proofs.values()]],
    );
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.#db.query(`DELETE FROM ${this.#db.schema}.encryption_keys WHERE name = ANY($1::text[])`, [names]);
  }
}
