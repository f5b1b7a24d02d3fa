/**
 * S6: whatever is done to a process at its most talkative, nothing that it is given in confidence comes out in its log, its
 * standard error or its metrics, and nothing of it lies in its data as it came (S4).
 */
import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openLevel } from '../../server/src/inbox/open-level.ts';
import { like } from './events.ts';
import { operatorsKey, producerKey, userToken, writeConfig } from './flow-config.ts';
import { ServerProcess, StartFailed } from './server-process.ts';

const mark = (what: string): string => `MARKED${what}SECRET`;
const point = createECDH('prime256v1').generateKeys().toString('base64url');
const tokens = {
  fcm: `${mark('Fcm')}:APA91bSomething`,
  apns: Buffer.from(mark('Apns').padEnd(32, '.')).toString('hex'),
  fid: mark('InstallationId'),
  endpoint: `https://push.example/${mark('Endpoint')}`,
  auth: Buffer.from(mark('Auth').slice(0, 16)).toString('base64url'),
  email: 'marked-address@example.org',
  broken: mark('Broken'),
  query: mark('Query'),
  key: mark('Key'),
  body: mark('Body'),
};
const config = {
  keys: [{ id: 'marked', key: Buffer.alloc(32, mark('MasterKey')).toString('base64') }],
  indexKey: Buffer.alloc(32, mark('IndexKey')).toString('base64'),
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

describe('a process that is given secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-secrets-'));
  const dataDir = join(folder, 'data');
  const file = writeConfig(folder, dataDir, { logLevel: 'debug', encryption: config });
  let service: ServerProcess;
  let secrets: string[];
  const written: string[] = [];

  before(async () => {
    service = await ServerProcess.start(file);
    const user = await userToken('t1', 'sec1', { sid: 'marked' });
    secrets = [...Object.values(tokens), user, producerKey('t1'), operatorsKey, config.indexKey];
    secrets.push(...config.keys.map(({ key }) => key), 'cursors are signed', 'tickets are signed', 'secret of t1');
  });
  after(async () => {
    await service.stop().catch(() => {});
    rmSync(folder, { recursive: true });
  });

  const ask = async (method: string, path: string, { token = '', body }: { token?: string; body?: unknown } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent = { method, headers: bearer(token), ...(body === undefined ? {} : { body: text }) };
    const answer = await fetch(service.url + path, sent);
    return { status: answer.status, text: await answer.text() };
  };
  const restart = async (): Promise<void> => {
    await service.stop();
    written.push(service.written());
    service = await ServerProcess.start(file);
  };

  test('says none of them, over registrations, refusals and failures', async () => {
    const user = await userToken('t1', 'sec1', { sid: 'marked' });
    const operator = operatorsKey;
    const said = { app: 'org.example.visible' };
    const subscription = { endpoint: tokens.endpoint, keys: { p256dh: point, auth: tokens.auth } };
    const post = (body: unknown) => ask('POST', '/v1/devices', { token: user, body });
    const statuses = [
      await post({ provider: 'fcm', token: tokens.fcm, ...said }),
      await post({ provider: 'fcm', fid: tokens.fid, ...said }),
      await post({ provider: 'apns', token: tokens.apns, ...said }),
      await post({ provider: 'webpush', subscription, vapidKey: point, ...said }),
      await post({ provider: 'apns', token: tokens.fcm, ...said }),
      await post(`{"provider":"fcm","token":"${tokens.broken}`),
      await post({ provider: 'fcm', token: tokens.fcm, [tokens.body]: 1 }),
      await ask('GET', `/v1/devices?token=${tokens.query}`, { token: user }),
      await ask('GET', `/v1/nothing/${tokens.query}`, { token: user }),
      await ask('DELETE', `/v1/devices/${tokens.query}`, { token: user }),
      await ask('GET', '/v1/devices', { token: tokens.key }),
      await ask('GET', `/v1/stream?ticket=${tokens.query}`),
      await ask('POST', '/v1/admin/devices/find', { token: operator, body: { provider: 'fcm', token: tokens.fcm } }),
      await ask('PUT', '/v1/users/sec1', { token: producerKey('t1'), body: { email: tokens.email } }),
      await ask('PUT', '/v1/users/sec1', {
        token: producerKey('t1'),
        body: { email: `${tokens.email}${tokens.body}` },
      }),
      await ask('POST', '/v1/admin/users/find', { token: operator, body: { email: tokens.email } }),
      await ask('POST', '/v1/events', { token: producerKey('t1'), body: { ...like('a1', 'p1', 'sec1'), data: 1 } }),
      await ask('POST', '/v1/events', { token: producerKey('t1'), body: tokens.body }),
    ].map(({ status }) => status);
    assert.deepEqual(statuses.slice(0, 6), [200, 200, 200, 200, 422, 400]);
    await breakRow(service, dataDir);
    written.push(service.written());
    service = await ServerProcess.start(file);
    assert.equal((await ask('GET', '/v1/devices', { token: user })).status, 500);
    const metrics = await ask('GET', '/metrics');
    await restart();
    const all = written.join('\n');
    assert.match(all, /"event":"requestFailed"/, 'a failure was logged');
    assert.match(all, /"event":"requestAnswered"/, 'requests were logged');
    for (const secret of secrets) {
      assert.ok(!all.includes(secret), `the log has ${secret}`);
      assert.ok(!metrics.text.includes(secret), `metrics have ${secret}`);
    }
  });

  test('is refused wrong keys without naming them, and keeps none of what it was given as it came', async () => {
    await service.stop();
    const other = { ...config, keys: [{ id: 'other', key: Buffer.alloc(32, mark('Other')).toString('base64') }] };
    const wrong = writeConfig(mkdtempSync(join(folder, 'wrong-')), dataDir, { encryption: other });
    await assert.rejects(ServerProcess.start(wrong), (error: unknown) => {
      assert.ok(error instanceof StartFailed && /the key marked/.test(error.stderr), String(error));
      return ![...secrets, other.keys[0]?.key ?? ''].some((secret) => error.stderr.includes(secret));
    });
    const store = join(dataDir, 'store');
    const stored = readdirSync(store).map((name) => readFileSync(join(store, name), 'latin1'));
    const isStored = (text: string): boolean => stored.some((each) => each.includes(text));
    assert.ok(isStored('org.example.visible'), 'what is no secret is there');
    for (const secret of secrets.filter((each) => each !== tokens.broken)) assert.ok(!isStored(secret), secret);
  });
});

/** A row of a device is damaged, so that reading it fails with an error that quotes it. */
async function breakRow(service: ServerProcess, dataDir: string): Promise<void> {
  await service.stop();
  const db = await openLevel(join(dataDir, 'store'));
  const [key] = await db.keys({ gt: 'device/p/', limit: 1 }).all();
  await db
    .batch()
    .put(key as string, `1${tokens.broken}`)
    .write();
  await db.close();
}
