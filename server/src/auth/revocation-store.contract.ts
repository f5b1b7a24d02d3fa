/** What every RevocationStore must do. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { RevocationStore, RevokedSession } from './revocation-store.ts';

export interface RevocationStoreUnderTest {
  readonly name: string;
  /** A fresh, empty store. */
  open(): Promise<RevocationStore>;
  /** The same data again after a restart; null where nothing outlives the process. */
  reopen: (() => Promise<RevocationStore>) | null;
}

export function revocationStoreContract(under: RevocationStoreUnderTest): void {
  describe(`RevocationStore: ${under.name}`, () => {
    let store: RevocationStore;
    beforeEach(async () => {
      store = await under.open();
    });

    test('an empty store has none', async () => {
      assert.deepEqual(await store.load(0), []);
    });

    test('loads those that count still', async () => {
      await store.put({ session: 't\u0001s1', untilMs: 1000 });
      await store.put({ session: 't\u0001s😀', untilMs: 1001 });
      await store.put({ session: 'u\u0001s1', untilMs: 5000 });
      assert.deepEqual(sorted(await store.load(1000)), [
        { session: 't\u0001s😀', untilMs: 1001 },
        { session: 'u\u0001s1', untilMs: 5000 },
      ]);
      assert.deepEqual(await store.load(5000), []);
    });

    test('a later put of a session replaces the earlier', async () => {
      await store.put({ session: 's', untilMs: 500 });
      await store.put({ session: 's', untilMs: 2000 });
      assert.deepEqual(await store.load(0), [{ session: 's', untilMs: 2000 }]);
    });

    test('many are all there', async () => {
      const all = Array.from({ length: 300 }, (_, n) => ({ session: `s${n}`, untilMs: 1000 + n }));
      await Promise.all(all.map((revoked) => store.put(revoked)));
      assert.deepEqual(sorted(await store.load(0)), sorted(all));
    });

    test('they are there after a restart', { skip: !under.reopen && 'in memory' }, async () => {
      await store.put({ session: 's', untilMs: 2000 });
      assert.deepEqual(await (await under.reopen?.())?.load(0), [{ session: 's', untilMs: 2000 }]);
    });
  });
}

function sorted(sessions: readonly RevokedSession[]): RevokedSession[] {
  return sessions.toSorted((a, b) => (a.session < b.session ? -1 : 1));
}
