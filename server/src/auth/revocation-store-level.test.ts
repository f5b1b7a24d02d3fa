import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import { RevocationStoreLevel } from './revocation-store-level.ts';

test('revoked sessions are kept over a restart until they count no more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-revocations-'));
  let db = new ClassicLevel<string, string>(folder);
  await db.open();
  const neighbour = new RevocationStoreLevel(db, 'revokee/');
  await neighbour.put({ session: 'other', untilMs: 9000 });
  const store = new RevocationStoreLevel(db, 'revoked/');
  await store.put({ session: 't\u0001s1', untilMs: 1000 });
  await store.put({ session: 't\u0001s😀', untilMs: 500 });
  await store.put({ session: 't\u0001s😀', untilMs: 2000 });
  await db.close();
  db = new ClassicLevel<string, string>(folder);
  await db.open();
  const again = new RevocationStoreLevel(db, 'revoked/');
  assert.deepEqual(await again.load(1000), [{ session: 't\u0001s😀', untilMs: 2000 }]);
  assert.deepEqual(await again.load(0), [{ session: 't\u0001s😀', untilMs: 2000 }], 'the other is gone for good');
  await db.close();
  await rm(folder, { recursive: true });
});
