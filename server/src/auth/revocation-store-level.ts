/** Revoked sessions in LevelDB, under a prefix of a database that others use too: `<prefix><session>` holds the time. */
import type { ClassicLevel } from 'classic-level';
import type { RevocationStore, RevokedSession } from './revocation-store.ts';

export class RevocationStoreLevel implements RevocationStore {
  readonly #db: ClassicLevel<string, string>;
  readonly #prefix: string;

  /** The database must have string keys and values, and `prefix` ends with a slash. */
  constructor(db: ClassicLevel<string, string>, prefix: string) {
    this.#db = db;
    this.#prefix = prefix;
  }

  async put({ session, untilMs }: RevokedSession): Promise<void> {
    await this.#db
      .batch()
      .put(this.#prefix + session, String(untilMs))
      .write({ sync: true });
  }

  async load(nowMs: number): Promise<readonly RevokedSession[]> {
    const revoked: RevokedSession[] = [];
    const over = this.#db.batch();
    const end = `${this.#prefix.slice(0, -1)}0`; // what follows the slash
    for await (const [key, text] of this.#db.iterator({ gt: this.#prefix, lt: end })) {
      const untilMs = Number(text);
      if (untilMs > nowMs) revoked.push({ session: key.slice(this.#prefix.length), untilMs });
      else over.del(key);
    }
    // What is over harms nobody if it stays.
    await over.write().catch(() => {});
    return revoked;
  }
}
