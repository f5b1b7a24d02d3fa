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

    test('removes exactly what has expired', async () => {
      const store = await open();
      await store.put('a', answer, 1000);
      await store.put('b', answer, 1001);
      await store.put('c', answer, 9);
      assert.equal(await store.expire(1000), 2);
      assert.equal(await store.expire(1000), 0);
      // Asked as of the past, so that only removal can make the difference.
      assert.equal(await store.get('a', 0), null);
      assert.deepEqual(await store.get('b', 0), answer);
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
