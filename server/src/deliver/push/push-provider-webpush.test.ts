import assert from 'node:assert/strict';
import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { limits } from '../../base/limits.ts';
import { systemRandom } from '../../base/random.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Device } from '../../profile/device.ts';
import type { Outcome } from '../outcome.ts';
import { PushProviderWebPush } from './push-provider-webpush.ts';
import { alertOf, badge, deviceOf, nowMs, retraction } from './test-push.ts';
import { newVapidKey, vapidKey } from './vapid.ts';
import { encryptionBytes } from './web-push-encryption.ts';

const key = vapidKey(newVapidKey());
const formerKey = vapidKey(newVapidKey());
const app = 'https://app.example';

function browser(endpoint: string, vapid = key.publicKey): Device {
  const pair = createECDH('prime256v1');
  const p256dh = pair.generateKeys().toString('base64url');
  const auth = randomBytes(16).toString('base64url');
  return deviceOf('webpush', { kind: 'subscription', endpoint, p256dh, auth, vapidKey: vapid }, { app });
}

const make = (
  hosts: readonly string[],
  isLocalAllowed: boolean,
  clock = new VirtualClock(nowMs),
): PushProviderWebPush =>
  new PushProviderWebPush(
    { keys: [key, formerKey], subject: 'mailto:ops@app.example', endpoints: { hosts, isLocalAllowed } },
    { clock, random: systemRandom },
  );

interface Seen {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A push service on this machine. */
async function withService(
  status: number,
  use: (push: PushProviderWebPush, endpoint: string, seen: Seen[], clock: VirtualClock) => Promise<void>,
  headers: Record<string, string> = {},
): Promise<void> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    seen.push({ headers: request.headers, body: Buffer.concat(parts) });
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const clock = new VirtualClock(nowMs);
  const push = make([], true, clock);
  try {
    await use(push, `http://127.0.0.1:${(server.address() as AddressInfo).port}/push/1`, seen, clock);
  } finally {
    await push.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const send = (push: PushProviderWebPush, device: Device): Promise<Outcome> => {
  const request = push.render(alertOf(), device, nowMs);
  assert.ok(request !== null);
  return push.send(request, device);
};

test('V12: a declarative message, with links that stand alone', () => {
  const push = make(['*'], false);
  const request = push.render(alertOf(), browser('https://updates.push.services.mozilla.com/wpush/v2/x'), nowMs);
  const { web_push, notification, mutable } = JSON.parse(String(request?.body));
  assert.deepEqual([web_push, mutable], [8030, true]);
  assert.deepEqual(
    { ...notification, data: null },
    {
      title: 'Replies',
      body: 'Ana replied: “yes”',
      navigate: 'https://app.example/p/p1#c1',
      lang: 'en',
      dir: 'ltr',
      tag: 'g1a2b3',
      app_badge: 3,
      icon: 'https://app.example/i.png',
      actions: [{ action: 'reply', title: 'Reply', navigate: 'https://app.example/p/p1/reply' }],
      data: null,
    },
  );
  assert.equal(notification.data.carillon.notification, 'n_1');
  assert.deepEqual(
    [request?.headers.ttl, request?.headers.urgency, request?.headers.topic],
    ['3600', 'high', 'g1a2b3'],
  );
});

test('V12: topics where they do no harm; what a browser cannot do is not sent', () => {
  const push = make(['*'], false);
  const google = browser('https://fcm.googleapis.com/fcm/send/x');
  const apple = browser('https://web.push.apple.com/x');
  assert.equal(push.render(alertOf(), google, nowMs)?.headers.topic, undefined);
  assert.equal(push.render(retraction, google, nowMs)?.headers.topic, 'g1a2b3');
  assert.equal(push.render(retraction, apple, nowMs), null);
  assert.equal(push.render(badge, google, nowMs), null);
  const long = alertOf({ collapseId: 'x'.repeat(33) });
  assert.equal(push.render(long, apple, nowMs)?.headers.topic, undefined);
});

test('V10: signed for the origin by the key the browser subscribed with, encrypted, and never above 2744 bytes', async () => {
  await withService(201, async (push, endpoint, seen) => {
    const text = { ...alertOf().text, body: '"👩‍👩‍👧‍👦'.repeat(500) };
    const device = browser(endpoint, formerKey.publicKey);
    const request = push.render(alertOf({ text }), device, nowMs);
    assert.ok(request !== null);
    assert.deepEqual(await push.send(request, device), { kind: 'accepted', providerId: null });
    const [{ headers, body } = { headers: {}, body: Buffer.of() }] = seen;
    assert.equal(headers['content-encoding'], 'aes128gcm');
    assert.equal(body.length, Buffer.byteLength(String(request.body)) + encryptionBytes);
    assert.ok(body.length <= 2744 && body.length > 2700);
    const [, jwt = '', publicKey = ''] = /^vapid t=(\S+), k=(\S+)$/.exec(headers.authorization ?? '') ?? [];
    assert.equal(publicKey, formerKey.publicKey);
    const [head = '', claims = '', signature = ''] = jwt.split('.');
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    assert.deepEqual([aud, sub], [new URL(endpoint).origin, 'mailto:ops@app.example']);
    assert.ok(exp > nowMs / 1000 && exp <= nowMs / 1000 + 24 * 3600);
    const verifier = { key: createPublicKey(formerKey.key), dsaEncoding: 'ieee-p1363' } as const;
    assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), verifier, Buffer.from(signature, 'base64url')));
  });
});

test('one signature for an origin, until half its time is over', async () => {
  await withService(201, async (push, endpoint, seen, clock) => {
    const device = browser(endpoint);
    await send(push, device);
    await send(push, device);
    clock.advance(limits.vapidRenewMs);
    await send(push, device);
    const [first, second, third] = seen.map(({ headers }) => headers.authorization);
    assert.equal(first, second);
    assert.notEqual(first, third);
  });
});

test('V2, BC-47: what push services answer: only 404 and 410 say that nobody is there', async () => {
  const cases: [number, Record<string, string>, Outcome][] = [
    [200, {}, { kind: 'accepted', providerId: null }],
    [202, {}, { kind: 'accepted', providerId: null }],
    [404, {}, { kind: 'gone', code: 'status404', asOfMs: null }],
    [410, {}, { kind: 'gone', code: 'status410', asOfMs: null }],
    [413, {}, { kind: 'refused', code: 'status413' }],
    [400, {}, { kind: 'refused', code: 'status400' }],
    [429, { 'retry-after': '120' }, { kind: 'throttled', code: 'status429', afterMs: 120_000, scope: 'project' }],
    [406, {}, { kind: 'throttled', code: 'status406', afterMs: 3_600_000, scope: 'project' }],
    [503, {}, { kind: 'retry', code: 'status503', afterMs: null }],
    [301, { location: 'http://169.254.169.254/' }, { kind: 'refused', code: 'status301' }],
  ];
  for (const [status, headers, outcome] of cases) {
    await withService(
      status,
      async (push, endpoint, seen) => {
        assert.deepEqual(await send(push, browser(endpoint)), outcome);
        assert.equal(seen.length, 1, 'no redirect is followed');
      },
      headers,
    );
  }
});

test('BC-47: 403 for one browser (a subscription of another key) stops nothing; for all it stops the key there', async () => {
  await withService(403, async (push, endpoint, seen, clock) => {
    const one = send(push, browser(endpoint));
    while (seen.length === 0) await new Promise(setImmediate);
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    clock.advance(limits.doubtfulWaitMs);
    assert.deepEqual(await one, { kind: 'refused', code: 'status403' });
    const all = await Promise.all(Array.from({ length: 60 }, () => send(push, browser(endpoint))));
    assert.deepEqual(new Set(all.map(({ kind }) => kind)), new Set(['blocked']));
  });
});

test('S5: endpoints that must not be called are not, also where only their name leads there', async () => {
  const push = make(['*'], false);
  for (const endpoint of [
    'http://127.0.0.1:1/x',
    'https://10.0.0.1/x',
    'https://[::1]/x',
    'https://169.254.169.254/x',
  ]) {
    assert.equal(push.projectOf(browser(endpoint)), null, endpoint);
    assert.deepEqual(await send(push, browser(endpoint)), { kind: 'refused', code: 'endpointNotAllowed' });
  }
  // Resolves to this machine by every resolver.
  assert.deepEqual(await send(push, browser('https://localhost/x')), { kind: 'refused', code: 'endpointNotAllowed' });
  await push.close();
});

test('keys that are none, of browser or of ours, refuse that push alone', async () => {
  await withService(201, async (push, endpoint, seen) => {
    const device = browser(endpoint);
    assert.ok(device.address.kind === 'subscription');
    const broken = { ...device, address: { ...device.address, p256dh: 'AAAA' } };
    assert.deepEqual(await send(push, broken), { kind: 'refused', code: 'badSubscriptionKeys' });
    assert.equal(push.projectOf(browser(endpoint, vapidKey(newVapidKey()).publicKey)), null);
    assert.equal(seen.length, 0);
  });
});

test('V4: nobody listens: not sent; the connection ends without an answer: unknown', async () => {
  const push = make([], true);
  assert.deepEqual(await send(push, browser('http://127.0.0.1:1/x')), {
    kind: 'retry',
    code: 'ECONNREFUSED',
    afterMs: null,
  });
  const server = createServer((request) => request.socket.destroy());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
  assert.equal((await send(push, browser(endpoint))).kind, 'unknown');
  await push.close();
  await new Promise((resolve) => server.close(resolve));
});
