import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import { idempotencyStoreContract } from './idempotency-store.contract.ts';
import { IdempotencyStoreLevel } from './idempotency-store-level.ts';
import { IdempotencyStoreMemory } from './idempotency-store-memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-idempotency-'));
let db = new ClassicLevel<string, string>(folder);
await db.open();
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

let stores = 0;
idempotencyStoreContract('memory', async () => new IdempotencyStoreMemory());
idempotencyStoreContract('LevelDB', async () => new IdempotencyStoreLevel(db, `test${stores++}/`));

for (const [name, open] of [
  ['memory', () => new IdempotencyStoreMemory()],
  ['LevelDB', () => new IdempotencyStoreLevel(db, 'expiring/')],
] as const) {
  test(`${name} removes exactly what has expired`, async () => {
    const store = open();
    const answer = { request: 'hash', status: 202, headers: {}, body: '{}' };
    await store.put('a', answer, 1000);
    await store.put('b', answer, 1001);
    await store.put('c', answer, 9);
    assert.equal(await store.expire(1000), 2);
    assert.equal(await store.expire(1000), 0);
    // Asked as of the past, so that only removal can make the difference.
    assert.equal(await store.get('a', 0), null);
    assert.deepEqual(await store.get('b', 0), answer);
  });
}

test('LevelDB keeps answers over a restart', async () => {
  const answer = { request: 'hash', status: 202, headers: {}, body: '{}' };
  await new IdempotencyStoreLevel(db, 'kept/').put('a', answer, 1000);
  await db.close();
  db = new ClassicLevel<string, string>(folder);
  await db.open();
  assert.deepEqual(await new IdempotencyStoreLevel(db, 'kept/').get('a', 0), answer);
});
