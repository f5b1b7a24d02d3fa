/** What every IdempotencyStore must do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IdempotencyStore } from './idempotency-store.ts';

export function idempotencyStoreContract(name: string, open: () => Promise<IdempotencyStore>): void {
  const answer = { request: 'hash', status: 202, headers: {}, body: '{"results":[]}' };

  describe(`IdempotencyStore: ${name}`, () => {
    test('answers what was put, and null for anything else', async () => {
      const store = await open();
      await store.put('a', answer, 1000);
      assert.deepEqual(await store.get('a', 999), answer);
      assert.equal(await store.get('b', 0), null);
      assert.equal(await store.get('', 0), null);
    });

    test('answers nothing that has expired, also before it is removed', async () => {
      const store = await open();
      await store.put('a', answer, 1000);
      assert.equal(await store.get('a', 1000), null);
    });

    test('removal takes nothing that has not expired, and comes to an end', async () => {
      const store = await open();
      await store.put('a', answer, 1000);
      await store.put('b', answer, 1001);
      while ((await store.expire(1000)) > 0);
      assert.equal(await store.get('a', 1000), null);
      assert.deepEqual(await store.get('b', 1000), answer);
    });

    test('a later put replaces the answer and its expiry', async () => {
      const store = await open();
      await store.put('a', answer, 1000);
      await store.put('a', { ...answer, status: 400 }, 2000);
      assert.equal(await store.expire(1500), 0);
      assert.deepEqual(await store.get('a', 1500), { ...answer, status: 400 });
    });
  });
}
