import assert from 'node:assert/strict';
import http2 from 'node:http2';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { limits } from '../../base/limits.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { provesGone } from '../outcome.ts';
import type { ProviderAnswer, PushRequest } from './push-provider.ts';
import { PushProviderApns } from './push-provider-apns.ts';
import { type Answering, TestHttp2Server } from './test-http2-server.ts';
import { alertOf, apnsKeys, badge, nowMs, retraction, text, tokenDevice } from './test-push.ts';

const token = 'a'.repeat(64);
const device = tokenDevice('apns', token);
const ofKey = { teamId: 'TEAM123456', keyId: 'KEY1234567', key: apnsKeys.privateKey, apps: ['com.example.app'] };
const provider = (origin: string | null, clock = new VirtualClock(nowMs)): PushProviderApns =>
  new PushProviderApns([{ ...ofKey, environment: null, origin }], clock);
const rendered = (message: Parameters<PushProviderApns['render']>[0]): PushRequest => {
  const request = provider(null).render(message, device, nowMs);
  assert.ok(request !== null);
  return request;
};

async function withApple(
  answer: Answering,
  use: (apns: PushProviderApns, server: TestHttp2Server, clock: VirtualClock) => Promise<void>,
): Promise<void> {
  const server = new TestHttp2Server(answer);
  const clock = new VirtualClock(nowMs);
  const apns = provider(await server.listen(), clock);
  try {
    await use(apns, server, clock);
  } finally {
    await apns.close();
    await server.close();
  }
}

test('V12: an alert: words, badge, group, thread, buttons and what they lead to', () => {
  const { headers, target, body } = rendered(alertOf());
  assert.equal(target, `/3/device/${token}`);
  assert.deepEqual(headers, {
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': String(nowMs / 1000 + 3600),
    'apns-id': headers['apns-id'],
    'apns-collapse-id': 'g1a2b3',
  });
  assert.match(headers['apns-id'] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(rendered(alertOf()).headers['apns-id'], headers['apns-id'], 'the same on every attempt');
  assert.deepEqual(JSON.parse(String(body)), {
    aps: {
      alert: { title: text.title, body: text.body },
      badge: 3,
      'thread-id': 'post:p1',
      category: 'reply.created',
      sound: 'default',
      'mutable-content': 1,
    },
    carillon: {
      v: 1,
      kind: 'alert',
      delivery: 'v_1',
      notification: 'n_1',
      type: 'reply.created',
      category: 'comments',
      collapseId: 'g1a2b3',
      threadId: 'post:p1',
      badge: 3,
      url: text.url,
      image: text.image,
      actions: text.actions,
    },
  });
});

test('V10: what is not urgent does not wake the device; what has expired is tried once', () => {
  const { headers, body } = rendered(alertOf({ urgency: 'normal', expiresAtMs: nowMs }));
  assert.deepEqual([headers['apns-priority'], headers['apns-expiration']], ['5', '0']);
  assert.equal(JSON.parse(String(body)).aps.sound, undefined);
  const far = rendered(alertOf({ expiresAtMs: nowMs * 2 })).headers['apns-expiration'];
  assert.equal(Number(far), (nowMs + limits.apnsKeptMaxMs) / 1000);
});

test('V12: read elsewhere: the badge is set in silence, with as many of what is cleared as fit', () => {
  const { headers, body } = rendered(badge);
  assert.equal(headers['apns-collapse-id'], undefined);
  assert.deepEqual(JSON.parse(String(body)), {
    aps: { badge: 2, 'content-available': 1 },
    carillon: { v: 1, kind: 'badge', delivery: 'v_2', badge: 2, cleared: ['g1', 'g2'] },
  });
  const cleared = Array.from({ length: 1000 }, (_, i) => `group${i}`);
  const many = String(rendered({ ...badge, cleared }).body);
  assert.ok(Buffer.byteLength(many) <= 4096 && Buffer.byteLength(many) > 4000);
  assert.deepEqual(JSON.parse(many).carillon.cleared[0], 'group0');
  assert.deepEqual(JSON.parse(String(rendered({ ...badge, cleared: [] }).body)).aps, { badge: 2 });
});

test('V12: a retraction takes the place of what waits, and tells the app what to take away', () => {
  const { headers, body } = rendered(retraction);
  assert.equal(headers['apns-collapse-id'], 'g1a2b3');
  const { aps, carillon } = JSON.parse(String(body));
  assert.deepEqual(aps, { badge: 2, 'content-available': 1 });
  assert.deepEqual([carillon.kind, carillon.collapseId], ['retract', 'g1a2b3']);
});

test('V2: each reason of Apple means one thing, and a reason nobody knows keeps the token', () => {
  const apns = provider(null);
  const kindOf = (status: number, reason: string | null): string => {
    const answer: ProviderAnswer = { status, reason, retryAfterMs: null, atMs: null, providerId: null };
    const outcome = apns.classify(answer);
    return 'scope' in outcome ? `${outcome.kind} ${outcome.scope}` : outcome.kind;
  };
  const expected: [number, string, string][] = [
    [400, 'BadDeviceToken', 'gone'],
    [400, 'DeviceTokenNotForTopic', 'refused'],
    [400, 'BadCollapseId', 'refused'],
    [400, 'TopicDisallowed', 'refused'],
    [400, 'IdleTimeout', 'retry'],
    [403, 'ExpiredProviderToken', 'blocked'],
    [403, 'InvalidProviderToken', 'blocked'],
    [403, 'BadEnvironmentKeyIdInToken', 'blocked'],
    [410, 'Unregistered', 'gone'],
    [410, 'ExpiredToken', 'gone'],
    [413, 'PayloadTooLarge', 'refused'],
    [429, 'TooManyRequests', 'throttled endpoint'],
    [429, 'TooManyProviderTokenUpdates', 'throttled project'],
    [500, 'InternalServerError', 'retry'],
    [503, 'Shutdown', 'retry'],
    [400, 'SomethingNew', 'refused'],
    [502, 'Bad Gateway', 'retry'],
  ];
  for (const [status, reason, kind] of expected) assert.equal(kindOf(status, reason), kind, reason);
  const later = apns.classify({
    status: 503,
    reason: 'ServiceUnavailable',
    retryAfterMs: null,
    atMs: null,
    providerId: null,
  });
  assert.deepEqual(later, { kind: 'retry', code: 'ServiceUnavailable', afterMs: 900_000 });
});

test('S6: a reason that is no plain word is not taken into a code', () => {
  const outcome = provider(null).classify({
    status: 400,
    reason: `leaks ${token}`,
    retryAfterMs: null,
    atMs: null,
    providerId: null,
  });
  assert.deepEqual(outcome, { kind: 'refused', code: 'status400' });
});

test('accepted: with what Apple calls it; path and token are never put into the table of headers', async () => {
  const answer: Answering = ({ headers }) => ({ status: 200, headers: { 'apns-id': String(headers['apns-id']) } });
  await withApple(answer, async (apns, server) => {
    const request = rendered(alertOf());
    const outcome = await apns.send(request, device);
    assert.deepEqual(outcome, { kind: 'accepted', providerId: request.headers['apns-id'] });
    const seen = server.seen[0];
    assert.match(String(seen?.headers.authorization), /^bearer [\w-]+\.[\w-]+\.[\w-]+$/);
    assert.equal(seen?.path, `/3/device/${token}`);
    assert.equal(seen?.body, request.body);
    assert.deepEqual([...(Reflect.get(seen?.headers ?? {}, http2.sensitiveHeaders) as string[])].sort(), [
      ':path',
      'authorization',
    ]);
  });
});

test('BC-46: Apple says since when a token is dead, in milliseconds; one registered again since then is kept', async () => {
  const times = [1773140399000, 1773142200000];
  const answer: Answering = () => ({
    status: 410,
    body: JSON.stringify({ reason: 'Unregistered', timestamp: times.shift() }),
  });
  await withApple(answer, async (apns) => {
    const first = await apns.send(rendered(alertOf()), device);
    assert.deepEqual(first, { kind: 'gone', code: 'Unregistered', asOfMs: 1773140399000 });
    assert.equal(provesGone(first, device.registeredAtMs), false);
    const second = await apns.send(rendered(alertOf()), device);
    assert.equal(provesGone(second, device.registeredAtMs), true);
  });
});

test('BC-51: four workers, an expired token: one new token for all, one retry each, no error is final', async () => {
  const first = new Set<string>();
  const answer: Answering = ({ headers }) => {
    const bearer = String(headers.authorization);
    if (first.size === 0) first.add(bearer);
    return first.has(bearer) ? { status: 403, body: '{"reason":"ExpiredProviderToken"}' } : { status: 200 };
  };
  await withApple(answer, async (apns, server) => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => apns.send(rendered(alertOf()), device)));
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['accepted']));
    assert.equal(new Set(server.seen.map(({ headers }) => headers.authorization)).size, 2);
    assert.ok(server.seen.length <= 8);
  });
  await withApple(
    () => ({ status: 403, body: '{"reason":"ExpiredProviderToken"}' }),
    async (apns, server) => {
      assert.equal((await apns.send(rendered(alertOf()), device)).kind, 'blocked');
      assert.equal((await apns.send(rendered(alertOf()), device)).kind, 'blocked');
      assert.equal(server.seen.length, 3, 'no new token within 20 minutes');
    },
  );
});

test('BC-47: 78 of 80 tokens of the wrong environment: none is dead, the credentials are blocked; one of 100 is dead', async () => {
  const answerFor =
    (good: (index: number) => boolean): Answering =>
    ({ path }) =>
      good(Number(path.slice(-3))) ? { status: 200 } : { status: 400, body: '{"reason":"BadDeviceToken"}' };
  const sendAll = (apns: PushProviderApns, count: number): Promise<Record<string, number>> =>
    Promise.all(
      Array.from({ length: count }, (_, i) => {
        const one = tokenDevice('apns', `abc${String(i).padStart(3, '0')}`);
        const request = apns.render(alertOf(), one, nowMs);
        assert.ok(request !== null);
        return apns.send(request, one);
      }),
    )
      .then((outcomes) => Object.groupBy(outcomes, ({ kind }) => kind))
      .then((groups) => Object.fromEntries(Object.entries(groups).map(([kind, list]) => [kind, list?.length ?? 0])));
  await withApple(
    answerFor((i) => i === 3 || i === 40),
    async (apns) => {
      assert.deepEqual(await sendAll(apns, 80), { accepted: 2, blocked: 78 });
    },
  );
  await withApple(
    answerFor((i) => i !== 0),
    async (apns) => {
      assert.deepEqual(await sendAll(apns, 100), { accepted: 99, gone: 1 });
    },
  );
});

test('credentials are picked by app and environment; none: nothing is sent', async () => {
  const only = new PushProviderApns([{ ...ofKey, environment: 'sandbox', origin: null }], new VirtualClock());
  assert.equal(only.projectOf(device), null);
  assert.equal(only.projectOf({ ...device, environment: 'sandbox' }), 'apns TEAM123456 KEY1234567 sandbox');
  assert.equal(only.projectOf({ ...device, environment: 'sandbox', app: 'com.other' }), null);
  assert.deepEqual(await only.send(rendered(alertOf()), device), { kind: 'blocked', code: 'noCredentials' });
  await only.close();
});

test('the answer that does not come is unknown, and is not sent again', async () => {
  await withApple(
    () => null,
    async (apns, server, clock) => {
      const outcome = apns.send(rendered(alertOf()), device);
      while (server.seen.length === 0) await turn();
      clock.advance(limits.pushAnswerMs + limits.pushSweepMs);
      assert.deepEqual(await outcome, { kind: 'unknown', code: 'answerTimeout' });
      assert.equal(server.seen.length, 1);
    },
  );
});

test("`carillon check push`: Apple's reasons in words, and never the key or a token", async () => {
  const cases: [string, boolean, RegExp][] = [
    ['{"reason":"BadDeviceToken"}', true, /accepts key KEY1234567/],
    ['{"reason":"InvalidProviderToken"}', false, /key ID KEY1234567, team ID TEAM123456/],
    ['{"reason":"BadEnvironmentKeyIdInToken"}', false, /is not for/],
    ['{"reason":"TopicDisallowed"}', false, /may not push to this app/],
    ['{"reason":"What <b>"}', false, /Apple answered 400 \(no reason\)/],
  ];
  for (const [body, isGood, words] of cases) {
    await withApple(
      () => ({ status: 400, body }),
      async (apns) => {
        const findings = await apns.check();
        assert.deepEqual(
          findings.map(({ what }) => what),
          ['apns com.example.app production', 'apns com.example.app sandbox'],
        );
        for (const finding of findings) {
          assert.equal(finding.isGood, isGood);
          assert.match(finding.text, words);
        }
      },
    );
  }
  const nobody = provider('http://127.0.0.1:1');
  assert.match((await nobody.check())[0]?.text ?? '', /could not be reached \(ECONNREFUSED\)/);
  await nobody.close();
});
