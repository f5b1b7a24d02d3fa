/** What every delivery store must do; run against each adapter. Stores are empty, or hold what other tests wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotificationId, PersonKey } from '../base/ids.ts';
import { ana, noonMs, testItem } from '../inbox/test-items.ts';
import type { Delivery, Job } from './delivery.ts';
import type { DeliveryStore } from './delivery-store.ts';

let made = 0;

export function testDelivery(change: Partial<Delivery> = {}): Delivery {
  return {
    endpoint: 'd_1',
    provider: 'apns',
    state: 'pending',
    version: 1,
    code: null,
    providerId: null,
    dueAtMs: null,
    attempts: [],
    forgiven: 0,
    redrives: 0,
    ...change,
  };
}

function newId(person: PersonKey, timeMs = noonMs): NotificationId {
  return testItem(person, `told${made++}`, timeMs).id;
}

export function testJob(person: PersonKey, change: Partial<Job> = {}): Job {
  return {
    person,
    channel: 'push',
    tells: [{ notification: newId(person), number: 1 }],
    lane: 'social',
    moment: 'now',
    decidedAtMs: noonMs,
    expiresAtMs: noonMs + 1000,
    deliveries: [testDelivery()],
    ...change,
  };
}

export function deliveryStoreContract(name: string, open: () => Promise<DeliveryStore>): void {
  const put = (store: DeliveryStore, ...jobs: Job[]): Promise<void> =>
    store.write({ channel: 'push', shard: 0, jobs, positions: null });

  test(`${name}: a job is found by each thing it tells of, and by nobody else's`, async () => {
    const store = await open();
    const tells = [1, 2, 3].map((number) => ({ notification: newId(ana), number }));
    const job = testJob(ana, { tells });
    await put(store, job);
    const keys = tells.map((telling) => ({ ...telling, person: ana, channel: 'push' as const }));
    assert.deepEqual(await store.find(keys), [job, job, job]);
    const [first] = keys;
    assert.ok(first !== undefined);
    const others = [
      { ...first, number: 2 },
      { ...first, channel: 'email' as const },
      { ...first, person: `${ana}x` as PersonKey },
    ];
    assert.deepEqual(await store.find(others), [null, null, null]);
    assert.deepEqual(await store.find([]), []);
  });

  test(`${name}: all there is to a delivery comes back`, async () => {
    const store = await open();
    const attempt = { atMs: noonMs, provider: 'fcm', outcome: 'retry', code: 'UNAVAILABLE', tookMs: 12 } as const;
    const job = testJob(ana, {
      lane: 'bulk',
      moment: 'fallback',
      deliveries: [
        testDelivery({ endpoint: '', provider: null, state: 'suppressed', code: 'read', version: 3 }),
        testDelivery({
          endpoint: 'd_a',
          dueAtMs: noonMs + 5,
          attempts: [attempt, { ...attempt, code: null }],
          forgiven: 1,
          redrives: 2,
        }),
        testDelivery({ endpoint: 'd_b', state: 'accepted', providerId: `x"\n${made}` }),
      ],
    });
    await put(store, job);
    const [telling] = job.tells;
    assert.ok(telling !== undefined);
    assert.deepEqual(await store.find([{ ...telling, person: ana, channel: 'push' }]), [job]);
  });

  test(`${name}: what is known of a row, by channel and number`, async () => {
    const store = await open();
    const notification = newId(ana);
    const second = testJob(ana, { tells: [{ notification, number: 2 }] });
    const first = testJob(ana, { tells: [...testJob(ana).tells, { notification, number: 1 }] });
    const mail = testJob(ana, { tells: [{ notification, number: 10 }], channel: 'email' });
    await put(store, second, first, testJob(ana));
    await store.write({ channel: 'email', shard: 0, jobs: [mail], positions: null });
    assert.deepEqual(await store.ofNotification(ana, notification), [mail, first, second]);
    assert.deepEqual(await store.ofNotification(`${ana}x` as PersonKey, notification), []);
  });

  test(`${name}: of two writes to a delivery the later counts, in whichever order they come`, async () => {
    const store = await open();
    const job = testJob(ana, { deliveries: [testDelivery({ endpoint: 'a' }), testDelivery({ endpoint: 'b' })] });
    const with2 = (change: Partial<Delivery>): Job => {
      return { ...job, deliveries: [testDelivery({ endpoint: 'a', version: 2, ...change })] };
    };
    const [telling] = job.tells;
    assert.ok(telling !== undefined);
    const state = async (): Promise<string[]> => {
      const [found] = await store.find([{ ...telling, person: ana, channel: 'push' }]);
      return (found?.deliveries ?? []).map(({ endpoint, state: now }) => `${endpoint} ${now}`).sort();
    };
    await put(store, with2({ state: 'unknown' }));
    await put(store, job);
    assert.deepEqual(await state(), ['a unknown', 'b pending']);
    await put(store, with2({ state: 'pending', dueAtMs: noonMs }));
    assert.deepEqual(await state(), ['a unknown', 'b pending'], 'would send it again');
    await put(store, with2({ state: 'accepted' }));
    await put(store, with2({ state: 'unknown' }));
    assert.deepEqual(await state(), ['a accepted', 'b pending'], 'what is known stays');
    await put(store, with2({ state: 'failed', version: 3 }));
    assert.deepEqual(await state(), ['a failed', 'b pending']);
  });

  test(`${name}: a job is found by the provider's name for it`, async () => {
    const store = await open();
    const providerId = `p-${made++}`;
    const job = testJob(ana, { deliveries: [testDelivery({ state: 'accepted', providerId })] });
    await put(store, job);
    assert.deepEqual(await store.byProviderId('apns', providerId), job);
    assert.equal(await store.byProviderId('fcm', providerId), null);
    assert.equal(await store.byProviderId('apns', 'never heard of'), null);
  });

  test(`${name}: positions are those of the last write that had some, by channel and shard`, async () => {
    const store = await open();
    const shard = 100 + made++;
    assert.equal(await store.positions('push', shard), null);
    await store.write({ channel: 'push', shard, jobs: [], positions: [1, 2, 3] });
    await store.write({ channel: 'push', shard, jobs: [testJob(ana)], positions: null });
    await store.write({ channel: 'email', shard, jobs: [], positions: [4, 5, 6] });
    assert.deepEqual(await store.positions('push', shard), [1, 2, 3]);
    assert.deepEqual(await store.positions('email', shard), [4, 5, 6]);
    assert.equal(await store.positions('push', shard + 1000), null);
  });
}
