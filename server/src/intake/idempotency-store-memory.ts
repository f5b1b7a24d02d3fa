/** Answers in memory: for tests, and where a restart may forget them. */
import type { IdempotencyStore, StoredAnswer } from './idempotency-store.ts';

export class IdempotencyStoreMemory implements IdempotencyStore {
  readonly #answers = new Map<string, { answer: StoredAnswer; expiresAtMs: number }>();

  async get(key: string, nowMs: number): Promise<StoredAnswer | null> {
    const stored = this.#answers.get(key);
    return stored !== undefined && stored.expiresAtMs > nowMs ? stored.answer : null;
  }

  async put(key: string, answer: StoredAnswer, expiresAtMs: number): Promise<void> {
    this.#answers.set(key, { answer, expiresAtMs });
  }

  async expire(nowMs: number): Promise<number> {
    let removed = 0;
    for (const [key, { expiresAtMs }] of this.#answers) {
      if (expiresAtMs > nowMs) continue;
      this.#answers.delete(key);
      removed++;
    }
    return removed;
  }
}
