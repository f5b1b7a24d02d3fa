import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { after, before, test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { startTestApi, type TestAnswer, type TestApi } from './test-api.ts';

let api: TestApi;
before(async () => {
  const cursorSecret = new Uint8Array(32).fill(7);
  const store = new InboxStoreMemory();
  api = await startTestApi(
    new InboxServiceStore({ store, clock: new VirtualClock(), cursorSecret, describe: describeInApp }),
  );
});
after(() => api.stop());

const fcm = (token: string, more: object = {}) => ({
  provider: 'fcm',
  token: `${token}:APA91b-registration-token`,
  app: 'org.example',
  ...more,
});
const post = (user: string, body: unknown, headers = {}): Promise<TestAnswer> =>
  api.call('POST', '/v1/devices', { token: `user:${user}`, body, headers });
const listOf = async (user: string) => (await api.call('GET', '/v1/devices', { token: `user:${user}` })).json.items;

const point = (): string => createECDH('prime256v1').generateKeys().toString('base64url');
const subscription = (name: string) => ({
  endpoint: `https://push.example/${name}`,
  keys: { p256dh: point(), auth: Buffer.alloc(16, 1).toString('base64url') },
});

test('V11, A2: a device is registered, refreshed, listed and removed, and no answer has its token', async () => {
  const body = fcm('a', { appVersion: '7', locale: 'de-at', timeZone: 'Asia/Calcutta' });
  const first = await post('ana', body);
  assert.equal(first.status, 200);
  assert.deepEqual(Object.keys(first.json), ['id']);
  api.clock.advance(60_000);
  assert.deepEqual((await post('ana', body)).json, first.json);
  const answer = await api.call('GET', '/v1/devices', { token: 'user:ana' });
  assert.ok(!answer.text.includes('APA91b'));
  const { registeredAt, seenAt, ...device } = answer.json.items[0];
  assert.deepEqual(device, {
    id: first.json.id,
    provider: 'fcm',
    app: 'org.example',
    appVersion: '7',
    environment: 'production',
    locale: 'de-AT',
    timeZone: 'Asia/Kolkata',
  });
  assert.equal(registeredAt, seenAt);
  assert.equal(Date.parse(seenAt), api.clock.now());
  for (const user of ['bo', 'ana@other']) {
    await api.call('DELETE', `/v1/devices/${first.json.id}`, { token: `user:${user}` });
    assert.equal((await listOf('ana')).length, 1, 'is nobody else’s to remove (S3)');
  }
  for (let times = 0; times < 2; times++) {
    const removed = await api.call('DELETE', `/v1/devices/${first.json.id}`, { token: 'user:ana' });
    assert.equal(removed.status, 204);
  }
  assert.deepEqual(await listOf('ana'), []);
});

test('what no provider could send to is refused with its path, without quoting it', async () => {
  const { status, json, text } = await post('ana', { provider: 'apns', token: 'a secret that is no token', app: 'x' });
  assert.deepEqual([status, json.code, json.errors[0].path], [422, 'CARILLON_DEVICE_INVALID', '/token']);
  assert.ok(!text.includes('secret'));
  assert.equal((await post('ana', '{"provider":')).json.code, 'CARILLON_REQUEST_MALFORMED');
  assert.equal((await api.call('POST', '/v1/devices', { token: 'producer:posts', body: fcm('a') })).status, 403);
});

test('BC-52: the next user of a phone has it alone, and one endpoint is one device with the latest keys', async () => {
  const [phone] = [fcm('phone')];
  await post('first#one', phone);
  await post('second#two', phone);
  assert.deepEqual([(await listOf('first')).length, (await listOf('second')).length], [0, 1]);
  const vapidKey = point();
  const all = Array.from({ length: 300 }, () => ({
    ...{ provider: 'webpush', app: 'https://app.example', vapidKey },
    subscription: subscription('same'),
  }));
  const ids = new Set<string>();
  for (const body of all) ids.add((await post('second#two', body)).json.id);
  assert.equal(ids.size, 1);
  const devices = await api.devices.list(personKey('default', 'second'));
  const device = devices.find(({ provider }) => provider === 'webpush');
  assert.equal(device?.address.kind === 'subscription' && device.address.p256dh, all.at(-1)?.subscription.keys.p256dh);
});

test('BC-66: registered under another tenant, a token is there alone, and is found there alone', async () => {
  const { token } = fcm('tenants');
  const find = (tenant: string) =>
    api.call('POST', '/v1/admin/devices/find', { token: `operator:op${tenant}`, body: { provider: 'fcm', token } });
  await post('same', fcm('tenants'));
  assert.equal((await find('')).json.user, 'same');
  await post('same@other', fcm('tenants'));
  assert.deepEqual([(await listOf('same')).length, (await listOf('same@other')).length], [0, 1]);
  assert.deepEqual((await find('')).json, { user: null, device: null });
  const { json, text } = await find('@other');
  assert.equal(json.user, 'same');
  assert.ok(!text.includes(token));
  const listed = await api.call('GET', '/v1/admin/users/same/devices', { token: 'operator:op@other' });
  assert.equal(listed.json.items[0].id, json.device.id);
  const elsewhere = await api.call('GET', '/v1/admin/users/same/devices', { token: 'operator:op' });
  assert.deepEqual(elsewhere.json.items, []);
});

test('BC-70: with its session a device goes, and none comes back by a token of that session', async () => {
  await post('ses#gone', fcm('s1'));
  await post('ses#stays', fcm('s2'));
  assert.equal((await api.call('DELETE', '/v1/sessions/gone', { token: 'producer:posts@other' })).status, 204);
  assert.equal((await listOf('ses')).length, 2, 'a session of the same name in another tenant is another one');
  assert.equal((await api.call('DELETE', '/v1/sessions/gone', { token: 'producer:posts' })).status, 204);
  const left = await listOf('ses');
  assert.equal(left.length, 1);
  const late = await post('ses#gone', fcm('s3'));
  assert.deepEqual([late.status, late.json.code], [401, 'CARILLON_AUTH_INVALID']);
  assert.deepEqual(await listOf('ses'), left);
});

test('BC-71: an erased person has no devices, and their tokens are found nowhere', async () => {
  await post('gone', fcm('g'));
  const before = await api.call('GET', '/v1/users/gone/export', { token: 'producer:posts' });
  assert.equal(before.json.devices.length, 1);
  assert.ok(!before.text.includes('APA91b'));
  assert.equal((await api.call('DELETE', '/v1/users/gone', { token: 'producer:posts' })).status, 204);
  assert.deepEqual(await listOf('gone'), []);
  const { provider, token } = fcm('g');
  const found = await api.call('POST', '/v1/admin/devices/find', { token: 'operator:op', body: { provider, token } });
  assert.deepEqual(found.json, { user: null, device: null });
});

test('A6: a registration with a key is done once', async () => {
  const key = { 'idempotency-key': '"device"' };
  const first = await post('idem', fcm('i'), key);
  await api.call('DELETE', `/v1/devices/${first.json.id}`, { token: 'user:idem' });
  assert.deepEqual((await post('idem', fcm('i'), key)).json, first.json);
  assert.deepEqual(await listOf('idem'), []);
  assert.equal((await post('idem', fcm('j'), key)).status, 422);
});
