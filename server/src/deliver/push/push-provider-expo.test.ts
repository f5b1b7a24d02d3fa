import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { type ApiAnswer, type ApiCall, apiServer } from '../email/test-api-server.ts';
import type { Outcome } from '../outcome.ts';
import { PushProviderExpo } from './push-provider-expo.ts';
import { alertOf, badge, nowMs, retraction, tokenDevice } from './test-push.ts';

const device = tokenDevice('expo', 'ExponentPushToken[abc]');

async function withExpo(answer: ApiAnswer | null, use: (expo: PushProviderExpo, calls: ApiCall[]) => Promise<void>) {
  const calls: ApiCall[] = [];
  const server = await apiServer(async (call) => {
    calls.push(call);
    return answer;
  });
  const credential = { apps: ['com.example.app'], accessToken: 'secret', origin: server.url };
  const expo = new PushProviderExpo(credential, new VirtualClock(nowMs));
  try {
    await use(expo, calls);
  } finally {
    await expo.close();
    await server.stop();
  }
}

const ticket = (data: object): ApiAnswer => ({ status: 200, body: JSON.stringify({ data }) });
const error = (code: string): ApiAnswer => ticket({ status: 'error', message: 'x', details: { error: code } });

test('an alert, with what the app needs under the same name as elsewhere', async () => {
  await withExpo(ticket({ status: 'ok', id: 'ticket-1' }), async (expo, calls) => {
    const request = expo.render(alertOf(), device, nowMs);
    assert.ok(request !== null);
    assert.deepEqual(await expo.send(request, device), { kind: 'accepted', providerId: 'ticket-1' });
    assert.equal(calls[0]?.url, '/--/api/v2/push/send');
    assert.equal(calls[0]?.headers.authorization, 'Bearer secret');
    const { data, ...rest } = JSON.parse(calls[0]?.body ?? '');
    assert.deepEqual(rest, {
      to: 'ExponentPushToken[abc]',
      badge: 3,
      ttl: 3600,
      title: 'Replies',
      body: 'Ana replied: “yes”',
      priority: 'high',
      channelId: 'comments',
      categoryId: 'reply.created',
      sound: 'default',
      mutableContent: true,
    });
    assert.equal(data.carillon.notification, 'n_1');
  });
});

test('badge and retraction are silent', async () => {
  await withExpo(null, async (expo) => {
    for (const message of [badge, retraction]) {
      const body = JSON.parse(String(expo.render(message, device, nowMs)?.body));
      assert.deepEqual(
        [body.title, body.badge, body._contentAvailable, body.data.carillon.kind],
        [undefined, 2, true, message.kind],
      );
    }
  });
});

test('V2: what Expo answers', async () => {
  const cases: [ApiAnswer | null, Outcome][] = [
    [error('DeviceNotRegistered'), { kind: 'gone', code: 'DeviceNotRegistered', asOfMs: null }],
    [error('MessageTooBig'), { kind: 'refused', code: 'MessageTooBig' }],
    [
      error('MessageRateExceeded'),
      { kind: 'throttled', code: 'MessageRateExceeded', afterMs: null, scope: 'endpoint' },
    ],
    [ticket({ status: 'error', message: 'x' }), { kind: 'retry', code: 'ExpoError', afterMs: null }],
    [
      { status: 200, body: '<html>' },
      { kind: 'unknown', code: 'noTicket' },
    ],
    [
      { status: 429, body: '{"errors":[{"code":"TOO_MANY_REQUESTS"}]}', headers: { 'retry-after': '5' } },
      { kind: 'throttled', code: 'TOO_MANY_REQUESTS', afterMs: 5000, scope: 'project' },
    ],
    [
      { status: 401, body: '{"errors":[{"code":"UNAUTHORIZED"}]}' },
      { kind: 'blocked', code: 'UNAUTHORIZED' },
    ],
    [
      { status: 400, body: '{"errors":[{"code":"VALIDATION_ERROR"}]}' },
      { kind: 'refused', code: 'VALIDATION_ERROR' },
    ],
    [
      { status: 503, body: '' },
      { kind: 'retry', code: 'status503', afterMs: null },
    ],
  ];
  for (const [answer, outcome] of cases) {
    await withExpo(answer, async (expo) => {
      const request = expo.render(alertOf(), device, nowMs);
      assert.ok(request !== null);
      assert.deepEqual(await expo.send(request, device), outcome);
    });
  }
});

test('`carillon check push`: whether Expo takes the access token', async () => {
  await withExpo({ status: 200, body: '{"data":{}}' }, async (expo) => {
    assert.deepEqual(
      (await expo.check()).map(({ isGood }) => isGood),
      [true],
    );
  });
  await withExpo({ status: 401, body: '' }, async (expo) => {
    const [finding] = await expo.check();
    assert.match(finding?.text ?? '', /refuses the access token/);
    assert.doesNotMatch(JSON.stringify(finding), /secret/);
  });
});
