import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import { revocationStoreContract } from './revocation-store.contract.ts';
import { RevocationStoreLevel } from './revocation-store-level.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-revocations-'));
let db = new ClassicLevel<string, string>(folder);
await db.open();
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

let stores = 0;
const newest = (): RevocationStoreLevel => new RevocationStoreLevel(db, `revoked${stores}/`);

revocationStoreContract({
  name: 'LevelDB',
  open: async () => {
    stores++;
    return newest();
  },
  reopen: async () => {
    await db.close();
    db = new ClassicLevel<string, string>(folder);
    await db.open();
    return newest();
  },
});

test('LevelDB forgets for good what counts no more, and leaves its neighbours alone', async () => {
  const neighbour = new RevocationStoreLevel(db, 'revokee/');
  await neighbour.put({ session: 'other', untilMs: 500 });
  const store = new RevocationStoreLevel(db, 'revokef/');
  await store.put({ session: 's1', untilMs: 1000 });
  await store.put({ session: 's2', untilMs: 2000 });
  assert.deepEqual(await store.load(1000), [{ session: 's2', untilMs: 2000 }]);
  assert.deepEqual(await store.load(0), [{ session: 's2', untilMs: 2000 }]);
  assert.equal((await neighbour.load(0)).length, 1);
});
