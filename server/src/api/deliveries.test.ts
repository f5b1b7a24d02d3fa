/** What operators and people are shown of deliveries (V1, A4, D12). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DeliveriesAnswer, OwnDelivery } from '@carillon/contract/deliveries.ts';
import { type NotificationId, personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { deliveryStates } from '../deliver/delivery-state.ts';
import { testDelivery, testJob } from '../deliver/delivery-store.contract.ts';
import { DeliveryStoreMemory } from '../deliver/delivery-store-memory.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { noonMs, personWrite, testItem } from '../inbox/test-items.ts';
import { listDeliveries } from './list-deliveries.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const store = new DeliveryStoreMemory();
const rows = new InboxStoreMemory();
const ana = personKey('default', 'ana');
const notification = 'n_1' as NotificationId;
const job = testJob(ana, {
  tells: [
    { notification, number: 2 },
    { notification: 'n_2' as NotificationId, number: 1 },
  ],
  deliveries: [
    testDelivery({
      endpoint: 'd_taken',
      provider: 'fcm',
      state: 'accepted',
      providerId: 'fcm-1',
      attempts: [{ atMs: noonMs, provider: 'fcm', outcome: 'accepted', code: null, tookMs: 12 }],
    }),
    testDelivery({
      endpoint: 'd_waits',
      code: 'ServiceUnavailable',
      dueAtMs: noonMs + 500,
      attempts: [{ atMs: noonMs, provider: 'apns', outcome: 'retry', code: 'ServiceUnavailable', tookMs: 7 }],
      redrives: 1,
    }),
  ],
});
const unaddressed = testJob(ana, {
  channel: 'email',
  tells: [{ notification, number: 1 }],
  deliveries: [testDelivery({ endpoint: '', provider: null, state: 'suppressed', code: 'noEndpoint' })],
});

let api: TestApi;
before(async () => {
  const [clock, cursorSecret] = [new VirtualClock(noonMs), new Uint8Array(32)];
  const inbox = new InboxServiceStore({ store: rows, clock, cursorSecret, describe: describeInApp });
  api = await startTestApi(inbox, [listDeliveries(store)], store);
  await store.write({ channel: 'push', shard: 0, jobs: [job], positions: null });
  await store.write({ channel: 'email', shard: 0, jobs: [unaddressed], positions: null });
});
after(() => api.stop());

const ask = (query: string, token = 'operator:viewer') => api.call('GET', `/v1/admin/deliveries?${query}`, { token });
const found = async (query: string, token?: string): Promise<DeliveriesAnswer['items']> => {
  const { status, json } = await ask(query, token);
  assert.equal(status, 200);
  return json.items;
};

test('V1: all that is on record of a notification, by channel and endpoint', async () => {
  const [mail, push] = await found('user=ana&notification=n_1');
  assert.deepEqual(push, {
    user: 'ana',
    channel: 'push',
    lane: 'social',
    tellings: [
      { notification: 'n_1', number: 2 },
      { notification: 'n_2', number: 1 },
    ],
    decidedAt: '2026-03-10T12:00:00.000Z',
    expiresAt: '2026-03-10T12:00:01.000Z',
    deliveries: [
      {
        endpoint: 'd_taken',
        state: 'accepted',
        code: null,
        provider: 'fcm',
        providerId: 'fcm-1',
        nextTryAt: null,
        attempts: [{ at: '2026-03-10T12:00:00.000Z', provider: 'fcm', outcome: 'accepted', code: null, tookMs: 12 }],
        redrives: 0,
      },
      {
        endpoint: 'd_waits',
        state: 'pending',
        code: 'ServiceUnavailable',
        provider: 'apns',
        providerId: null,
        nextTryAt: '2026-03-10T12:00:00.500Z',
        attempts: [
          { at: '2026-03-10T12:00:00.000Z', provider: 'apns', outcome: 'retry', code: 'ServiceUnavailable', tookMs: 7 },
        ],
        redrives: 1,
      },
    ],
  });
  assert.equal(mail?.channel, 'email');
  assert.deepEqual(
    mail.deliveries.map(({ endpoint, state, code }) => [endpoint, state, code]),
    [[null, 'suppressed', 'noEndpoint']],
  );
});

test('A4: a provider’s name finds the job, with whatever came together', async () => {
  const byNotification = await found('user=ana&notification=n_2');
  assert.equal(byNotification.length, 1);
  assert.deepEqual(await found('provider=fcm&providerId=fcm-1'), byNotification);
});

test('nothing is found of another tenant, person, provider or notification', async () => {
  const elsewhere = 'operator:viewer@other';
  assert.deepEqual(await found('user=ana&notification=n_1', elsewhere), []);
  assert.deepEqual(await found('provider=fcm&providerId=fcm-1', elsewhere), []);
  for (const query of ['user=bo&notification=n_1', 'user=ana&notification=n%201', 'provider=apns&providerId=fcm-1'])
    assert.deepEqual(await found(query), [], query);
});

test('what does not say which are meant is refused, and so is who is no operator', async () => {
  const refused = async (query: string): Promise<unknown[]> => {
    const { status, json } = await ask(query);
    return [status, json.code, json.errors?.[0]?.path];
  };
  for (const query of ['', 'user=ana', 'user=ana&provider=fcm', 'provider=fcm&notification=n_1'])
    assert.deepEqual(await refused(query), [400, 'CARILLON_REQUEST_INVALID', 'query'], query);
  assert.deepEqual(await refused('user=ana&notificatoin=n_1'), [400, 'CARILLON_REQUEST_INVALID', 'query/notificatoin']);
  assert.equal((await ask('user=ana&notification=n_1', 'user:ana')).status, 403);
});

test('D12: a person is told in plain words, and never that anybody saw it', async () => {
  const item = testItem(ana, 'told', noonMs);
  await rows.write(0, [personWrite(ana, [item])], [0, 0, 0]);
  const why = async () => (await api.call('GET', `/v1/notifications/${item.id}/why`, { token: 'user:ana' })).json;
  assert.deepEqual((await why()).deliveries, []);
  const deliveries = deliveryStates.map((state) => testDelivery({ endpoint: `d_${state}`, state, code: 'secret' }));
  const tells = [{ notification: item.id, number: 1 }];
  await store.write({ channel: 'push', shard: 0, jobs: [testJob(ana, { tells, deliveries })], positions: null });
  const byEndpoint = (a: OwnDelivery, b: OwnDelivery) => (String(a.endpoint) < String(b.endpoint) ? -1 : 1);
  const told = ((await why()).deliveries as OwnDelivery[]).sort(byEndpoint);
  assert.deepEqual(
    told.map(({ endpoint, state }) => `${endpoint} ${state}`),
    [
      'd_accepted handedOver',
      'd_dispatched underWay',
      'd_expired tooLate',
      'd_failed failed',
      'd_pending waiting',
      'd_suppressed notSent',
      'd_unknown uncertain',
    ],
  );
  assert.deepEqual(told[0], {
    channel: 'push',
    endpoint: 'd_accepted',
    state: 'handedOver',
    decidedAt: '2026-03-10T12:00:00.000Z',
  });
});
