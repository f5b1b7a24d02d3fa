/** Web pushes as read by `http_ece`, by the service of web-push-testing, and by a strict one; compared with `web-push`. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import ece from 'http_ece';
import webpush from 'web-push';
import { root } from '../../../scripts/setup.mjs';
import { systemClock } from '../../../server/src/base/clock.ts';
import { systemRandom } from '../../../server/src/base/random.ts';
import type { Outcome } from '../../../server/src/deliver/outcome.ts';
import type { PushMessage, PushRequest } from '../../../server/src/deliver/push/push-provider.ts';
import { PushProviderWebPush } from '../../../server/src/deliver/push/push-provider-webpush.ts';
import { alertOf, deviceOf, retraction } from '../../../server/src/deliver/push/test-push.ts';
import { vapidKey } from '../../../server/src/deliver/push/vapid.ts';
import { encryptForBrowser, oneTimeSecrets } from '../../../server/src/deliver/push/web-push-encryption.ts';
import type { Device } from '../../../server/src/profile/device.ts';
import { type Browser, StrictPushService } from './strict-push-service.ts';

const theirKeys = webpush.generateVAPIDKeys();
const key = vapidKey(theirKeys.privateKey);
const subject = 'mailto:ops@app.example';
const push = new PushProviderWebPush(
  { keys: [key], subject, endpoints: { hosts: [], isLocalAllowed: true } },
  { clock: systemClock, random: systemRandom },
);
const expiresAtMs = systemClock.now() + 3_600_000;

const deviceFor = (browser: Browser): Device =>
  deviceOf('webpush', { kind: 'subscription', ...browser, vapidKey: key.publicKey }, { app: 'https://app.example' });

function rendered(browser: Browser, message: PushMessage = alertOf()): PushRequest {
  const request = push.render({ ...message, expiresAtMs }, deviceFor(browser), systemClock.now());
  assert.ok(request !== null);
  return request;
}

const send = (browser: Browser, message?: PushMessage): Promise<Outcome> =>
  push.send(rendered(browser, message), deviceFor(browser));

after(() => push.close());

test('V10: a key of web-push has the public part that web-push says', () => {
  assert.equal(key.publicKey, theirKeys.publicKey);
});

test('V10: http_ece reads whatever we encrypt', () => {
  const pair = createECDH('prime256v1');
  const p256dh = pair.generateKeys().toString('base64url');
  const auth = randomBytes(16).toString('base64url');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3993 }), (text) => {
      const body = encryptForBrowser(text, { p256dh, auth }, oneTimeSecrets(systemRandom, createECDH('prime256v1')));
      assert.deepEqual(
        ece.decrypt(body, { version: 'aes128gcm', privateKey: pair, authSecret: auth }),
        Buffer.from(text),
      );
    }),
    { numRuns: 300 },
  );
});

describe('a strict push service', { concurrency: false }, () => {
  const service = new StrictPushService();
  before(() => service.listen());
  after(() => service.close());

  test('V10: takes alerts and retractions, the longest too, and reads what was rendered', async () => {
    const long = '"👩‍👩‍👧‍👦 ناص'.repeat(2000);
    for (const message of [alertOf(), alertOf({ text: { ...alertOf().text, title: long, body: long } }), retraction]) {
      const browser = service.subscribe(key.publicKey);
      assert.deepEqual(await send(browser, message), { kind: 'accepted', providerId: null }, service.faults.join());
      const taken = service.taken.at(-1);
      assert.equal(taken?.text, rendered(browser, message).body);
      assert.deepEqual([taken?.topic, (taken?.ttl ?? 0) > 3500, taken?.ttl], ['g1a2b3', true, taken?.ttl]);
    }
    assert.deepEqual(service.faults, []);
  });

  test('V10: headers are those of web-push', async () => {
    const { endpoint, p256dh, auth } = service.subscribe(key.publicKey);
    const { headers } = webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, 'x', {
      vapidDetails: { subject, publicKey: theirKeys.publicKey, privateKey: theirKeys.privateKey },
      TTL: 60,
      topic: 'g1a2b3',
      urgency: 'high',
      contentEncoding: 'aes128gcm',
    });
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const ours = [...Object.keys(rendered({ endpoint, p256dh, auth }).headers), 'authorization', 'content-length'];
    assert.deepEqual(ours.sort(), names.sort());
  });

  test('BC-47: what it says of subscriptions that are gone, and of what it does not take', async () => {
    const kindOf = async (status: number): Promise<string> =>
      (await send(service.subscribe(key.publicKey, status))).kind;
    assert.equal(
      (await send({ ...service.subscribe(key.publicKey), endpoint: `${service.origin}/none` })).kind,
      'gone',
    );
    assert.deepEqual(await Promise.all([410, 413, 503].map(kindOf)), ['gone', 'refused', 'retry']);
    assert.deepEqual(await send(service.subscribe(key.publicKey, 429)), {
      kind: 'throttled',
      code: 'status429',
      afterMs: 120_000,
      scope: 'project',
    });
  });

  test('the judge can say no: another key, a longer body', async () => {
    const browser = service.subscribe(webpush.generateVAPIDKeys().publicKey);
    await send(browser);
    assert.match(service.faults.at(-1) ?? '', /not the key/);
    const other = service.subscribe(key.publicKey);
    const request = { ...rendered(other), body: 'x'.repeat(3000) };
    assert.deepEqual(await push.send(request, deviceFor(other)), { kind: 'refused', code: 'status413' });
  });
});

describe('web-push-testing', { concurrency: false }, () => {
  let mock: ChildProcess;
  let origin = '';
  const ask = async (path: string, body: object): Promise<{ status: number; text: string }> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };

  before(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    const program = join(root, 'test/judges/node_modules/web-push-testing/src/bin/server.js');
    mock = spawn(process.execPath, [program, String(port)], { stdio: 'ignore' });
    for (let tries = 0; ; tries++) {
      if (
        await ask('/status', {}).then(
          () => true,
          () => false,
        )
      )
        return;
      assert.ok(tries < 200, 'web-push-testing does not start');
      await new Promise((resolve) => systemClock.after(50, () => resolve(null)));
    }
  });
  after(() => mock.kill());

  test('V10: reads an alert, and says when the subscription is over', async () => {
    const options = { userVisibleOnly: 'true', applicationServerKey: key.publicKey };
    const { data } = JSON.parse((await ask('/subscribe', options)).text);
    const browser = { endpoint: data.endpoint, p256dh: data.keys.p256dh, auth: data.keys.auth };
    assert.equal((await send(browser)).kind, 'accepted');
    const shown = JSON.parse((await ask('/get-notifications', { clientHash: data.clientHash })).text);
    assert.deepEqual(shown.data.messages, [rendered(browser).body]);
    await ask(`/expire-subscription/${data.clientHash}`, {});
    assert.deepEqual(await send(browser), { kind: 'gone', code: 'status410', asOfMs: null });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
