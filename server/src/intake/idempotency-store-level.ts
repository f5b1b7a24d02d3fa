/**
 * Answers in LevelDB, under a prefix of a database that others use too:
 * `<prefix>k<key>` holds the answer with its expiry, `<prefix>e<expiry>:<key>` orders them for removal.
 */
import type { ClassicLevel } from 'classic-level';
import type { IdempotencyStore, StoredAnswer } from './idempotency-store.ts';

interface Row extends StoredAnswer {
  readonly expiresAtMs: number;
}

/** Removed at once; the next turn takes the rest. */
const expireRowsMax = 1000;

export class IdempotencyStoreLevel implements IdempotencyStore {
  readonly #db: ClassicLevel<string, string>;
  readonly #prefix: string;

  /** The database must have string keys and values. */
  constructor(db: ClassicLevel<string, string>, prefix: string) {
    this.#db = db;
    this.#prefix = prefix;
  }

  async get(key: string, nowMs: number): Promise<StoredAnswer | null> {
    const row = await this.#row(key);
    if (row === null || row.expiresAtMs <= nowMs) return null;
    const { expiresAtMs: _, ...answer } = row;
    return answer;
  }

  async put(key: string, answer: StoredAnswer, expiresAtMs: number): Promise<void> {
    const row: Row = { ...answer, expiresAtMs };
    const batch = this.#db
      .batch()
      .put(this.#answerKey(key), JSON.stringify(row))
      .put(this.#expiryKey(expiresAtMs, key), '');
    await batch.write({ sync: true });
  }

  async expire(nowMs: number): Promise<number> {
    const due = { gte: `${this.#prefix}e`, lt: this.#expiryKey(nowMs + 1, ''), limit: expireRowsMax };
    let removed = 0;
    for await (const expiry of this.#db.keys(due)) {
      const key = expiry.slice(this.#expiryKey(0, '').length);
      const row = await this.#row(key);
      const batch = this.#db.batch().del(expiry);
      // A later put gave the key a later expiry: only the old mark goes.
      if (row !== null && row.expiresAtMs <= nowMs) {
        batch.del(this.#answerKey(key));
        removed++;
      }
      await batch.write();
    }
    return removed;
  }

  /** All answers that are stored: for a copy. */
  async *all(): AsyncIterable<{ key: string; answer: StoredAnswer; expiresAtMs: number }> {
    const start = this.#answerKey('');
    for await (const [key, text] of this.#db.iterator({ gte: start, lt: `${this.#prefix}l` })) {
      const { expiresAtMs, ...answer } = JSON.parse(text) as Row;
      yield { key: key.slice(start.length), answer, expiresAtMs };
    }
  }

  async #row(key: string): Promise<Row | null> {
    const text = await this.#db.get(this.#answerKey(key));
    return text === undefined ? null : (JSON.parse(text) as Row);
  }

  #answerKey(key: string): string {
    return `${this.#prefix}k${key}`;
  }

  #expiryKey(expiresAtMs: number, key: string): string {
    return `${this.#prefix}e${String(expiresAtMs).padStart(16, '0')}:${key}`;
  }
}
