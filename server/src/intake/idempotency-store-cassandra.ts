/** Answers in Cassandra: one row each, which expires by itself a while after nobody may be given it any more. */
import type { Client } from 'cassandra-driver';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { ttlSeconds } from '../base/ttl-seconds.ts';
import type { IdempotencyStore, StoredAnswer } from './idempotency-store.ts';

const getAnswer = 'SELECT answer, expires_at FROM idempotency_answers WHERE key = ?';
const putAnswer = 'UPDATE idempotency_answers USING TTL ? SET answer = ?, expires_at = ? WHERE key = ?';

export class IdempotencyStoreCassandra implements IdempotencyStore {
  readonly #client: Client;
  readonly #clock: Clock;

  /** The client is connected to the keyspace and stays the caller's to close. */
  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async get(key: string, nowMs: number): Promise<StoredAnswer | null> {
    // No partition has an empty key.
    if (key === '') return null;
    const row = (await this.#client.execute(getAnswer, [key], { prepare: true, isIdempotent: true })).first();
    if (row === null || row.expires_at.toNumber() <= nowMs) return null;
    return JSON.parse(row.answer) as StoredAnswer;
  }

  async put(key: string, answer: StoredAnswer, expiresAtMs: number): Promise<void> {
    const ttl = ttlSeconds(expiresAtMs, this.#clock.now(), limits.storeExpirySpareMs);
    const params = [ttl, JSON.stringify(answer), expiresAtMs, key];
    await this.#client.execute(putAnswer, params, { prepare: true, isIdempotent: true });
  }

  /** Nothing is left to do. */
  async expire(): Promise<number> {
    return 0;
  }
}
