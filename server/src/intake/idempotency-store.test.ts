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

test('LevelDB keeps answers over a restart', async () => {
  const answer = { request: 'hash', status: 202, headers: {}, body: '{}' };
  await new IdempotencyStoreLevel(db, 'kept/').put('a', answer, 1000);
  await db.close();
  db = new ClassicLevel<string, string>(folder);
  await db.open();
  assert.deepEqual(await new IdempotencyStoreLevel(db, 'kept/').get('a', 0), answer);
});
