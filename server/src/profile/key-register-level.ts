/** Which keys are needed, in LevelDB: `<prefix><name>` holds the proof. One process has it open, so that nobody else adds. */
import type { KeyRegister } from './key-register.ts';
import type { ProfileDatabase } from './profile-step.ts';

export class KeyRegisterLevel implements KeyRegister {
  readonly #db: ProfileDatabase;
  readonly #prefix: string;

  /** `prefix` ends with a slash. */
  constructor(db: ProfileDatabase, prefix: string) {
    this.#db = db;
    this.#prefix = prefix;
  }

  async all(): Promise<ReadonlyMap<string, string>> {
    const range = { gt: this.#prefix, lt: `${this.#prefix.slice(0, -1)}0` };
    const entries = await this.#db.iterator(range).all();
    return new Map(entries.map(([key, proof]) => [key.slice(this.#prefix.length), proof]));
  }

  async add(proofs: ReadonlyMap<string, string>): Promise<void> {
    const known = await this.all();
    const batch = this.#db.batch();
    for (const [name, proof] of proofs) if (!known.has(name)) batch.put(this.#prefix + name, proof);
    await batch.write({ sync: true });
  }

  async remove(names: readonly string[]): Promise<void> {
    const batch = this.#db.batch();
    for (const name of names) batch.del(this.#prefix + name);
    await batch.write({ sync: true });
  }
}
