import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openLevel } from '../inbox/open-level.ts';
import { ana, noonMs, testItem } from '../inbox/test-items.ts';
import { deliveryStoreContract, testDelivery, testJob } from './delivery-store.contract.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { DeliveryStoreLevel } from './delivery-store-level.ts';
import { DeliveryStoreMemory } from './delivery-store-memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-deliveries-'));
const db = await openLevel(folder);
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

deliveryStoreContract('memory', async () => new DeliveryStoreMemory());
deliveryStoreContract('LevelDB', async () => new DeliveryStoreLevel(db));

const opened: readonly (readonly [string, () => DeliveryStore])[] = [
  ['memory', () => new DeliveryStoreMemory()],
  ['LevelDB', () => new DeliveryStoreLevel(db)],
];
for (const [name, open] of opened) {
  test(`${name}: retention takes what is older, with all it is found by`, async () => {
    const store = open();
    const jobs = [-3, -2, -1].map((days) => {
      const { id } = testItem(ana, `old${days}`, noonMs + days * 86_400_000);
      const deliveries = [testDelivery({ state: 'accepted', providerId: `old${days}` })];
      return testJob(ana, { tells: [{ notification: id, number: 1 }], deliveries });
    });
    await store.write({ channel: 'push', shard: 0, jobs, positions: null });
    while ((await store.expire(noonMs - 1.5 * 86_400_000)) > 0);
    const keys = jobs.map((job) => ({ ...job.tells[0], person: ana, channel: 'push' as const }));
    const found = await store.find(keys as never);
    assert.deepEqual(
      found.map((job) => job !== null),
      [false, false, true],
    );
    assert.equal(await store.byProviderId('apns', 'old-3'), null);
    assert.notEqual(await store.byProviderId('apns', 'old-1'), null);
  });
}
