import assert from 'node:assert/strict';
import { verify } from 'node:crypto';
import { test } from 'node:test';
import { limits } from '../../base/limits.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { type ApiAnswer, type ApiCall, apiServer } from '../email/test-api-server.ts';
import { PushProviderFcm } from './push-provider-fcm.ts';
import { type Answering, TestHttp2Server } from './test-http2-server.ts';
import { alertOf, badge, deviceOf, googleKeys, nowMs, retraction, text, tokenDevice } from './test-push.ts';

const device = tokenDevice('fcm', 'fcm-token');
const granted = { status: 200, body: '{"access_token":"ya29.first","expires_in":3599,"token_type":"Bearer"}' };

interface World {
  readonly fcm: PushProviderFcm;
  readonly server: TestHttp2Server;
  readonly clock: VirtualClock;
  readonly grants: ApiCall[];
}

async function withGoogle(
  answer: Answering,
  use: (world: World) => Promise<void>,
  grant: () => ApiAnswer | null = () => granted,
): Promise<void> {
  const server = new TestHttp2Server(answer);
  const clock = new VirtualClock(nowMs);
  const grants: ApiCall[] = [];
  const accounts = await apiServer(async (call) => {
    grants.push(call);
    return grant();
  });
  const account = {
    projectId: 'project-1',
    clientEmail: 'push@project-1.example',
    keyId: 'k1',
    key: googleKeys.privateKey,
    tokenUrl: `${accounts.url}/token`,
  };
  const fcm = new PushProviderFcm([{ account, apps: ['com.example.app'], origin: await server.listen() }], clock);
  try {
    await use({ fcm, server, clock, grants });
  } finally {
    await fcm.close();
    await Promise.all([server.close(), accounts.stop()]);
  }
}

const send = async ({ fcm }: World, to = device) => {
  const request = fcm.render(alertOf(), to, nowMs);
  assert.ok(request !== null);
  return fcm.send(request, to);
};
const failed = (status: number, error: object, headers = {}): Answering => {
  const body = JSON.stringify({ error: { code: status, ...error } });
  return () => ({ status, headers, body });
};
const fcmError = (errorCode: string) => ({ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode });

test('V12: an alert for any platform behind FCM, with a tag instead of a collapse key', async () => {
  await withGoogle(
    () => ({ status: 200, body: '{"name":"projects/project-1/messages/1"}' }),
    async (world) => {
      assert.deepEqual(await send(world), { kind: 'accepted', providerId: 'projects/project-1/messages/1' });
      const [seen] = world.server.seen;
      assert.equal(seen?.path, '/v1/projects/project-1/messages:send');
      assert.equal(seen?.headers.authorization, 'Bearer ya29.first');
      const { message } = JSON.parse(seen?.body ?? '');
      assert.equal(message.token, 'fcm-token');
      assert.deepEqual(message.notification, { title: text.title, body: text.body, image: text.image });
      assert.deepEqual(message.android, {
        priority: 'high',
        ttl: '3600s',
        notification: { channel_id: 'comments', tag: 'g1a2b3', notification_count: 3 },
      });
      assert.deepEqual(message.apns.payload.aps, {
        badge: 3,
        'thread-id': 'post:p1',
        category: 'reply.created',
        sound: 'default',
        'mutable-content': 1,
      });
      assert.equal(message.apns.headers['apns-collapse-id'], 'g1a2b3');
      const data = JSON.parse(message.data.carillon);
      assert.deepEqual([data.kind, data.url, data.actions], ['alert', text.url, text.actions]);
    },
  );
});

test('V12: badge and retraction are silent; a Firebase installation id is addressed as one', async () => {
  await withGoogle(failed(500, {}), async ({ fcm }) => {
    const fid = deviceOf('fcm', { kind: 'fid', value: 'fid-1' });
    for (const message of [badge, retraction]) {
      const body = JSON.parse(String(fcm.render(message, fid, nowMs)?.body)).message;
      assert.equal(body.fid, 'fid-1');
      assert.equal(body.token, undefined);
      assert.equal(body.notification, undefined);
      assert.equal(body.android.priority, 'normal');
      assert.deepEqual(body.apns.payload.aps, { badge: 2, 'content-available': 1 });
      assert.equal(JSON.parse(body.data.carillon).kind, message.kind);
    }
    assert.equal(fcm.render(badge, { ...fid, app: 'com.other' }, nowMs), null);
  });
});

test('V2, BC-47: what FCM answers: only a token that is not there, or is none, is dead', async () => {
  const badRequest = { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'message' }] };
  const violations = [{ subject: 'device', description: 'Device message rate exceeded' }];
  const ofDevice = { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations };
  const notValid = 'The registration token is not a valid FCM registration token';
  const cases: [Answering, object][] = [
    [
      failed(404, { status: 'NOT_FOUND', details: [fcmError('UNREGISTERED')] }),
      { kind: 'gone', code: 'UNREGISTERED', asOfMs: null },
    ],
    [
      failed(400, { status: 'INVALID_ARGUMENT', message: notValid, details: [fcmError('INVALID_ARGUMENT')] }),
      { kind: 'gone', code: 'INVALID_TOKEN', asOfMs: null },
    ],
    [
      failed(400, {
        status: 'INVALID_ARGUMENT',
        message: 'Message is too big',
        details: [fcmError('INVALID_ARGUMENT')],
      }),
      { kind: 'refused', code: 'INVALID_ARGUMENT' },
    ],
    [
      failed(400, {
        status: 'INVALID_ARGUMENT',
        message: notValid,
        details: [fcmError('INVALID_ARGUMENT'), badRequest],
      }),
      { kind: 'refused', code: 'INVALID_ARGUMENT' },
    ],
    [
      failed(429, { status: 'RESOURCE_EXHAUSTED', details: [fcmError('QUOTA_EXCEEDED')] }, { 'retry-after': '90' }),
      { kind: 'throttled', code: 'QUOTA_EXCEEDED', afterMs: 90_000, scope: 'project' },
    ],
    [
      failed(429, { status: 'RESOURCE_EXHAUSTED', details: [fcmError('QUOTA_EXCEEDED'), ofDevice] }),
      { kind: 'throttled', code: 'DEVICE_QUOTA_EXCEEDED', afterMs: 60_000, scope: 'endpoint' },
    ],
    [
      failed(429, { status: 'RESOURCE_EXHAUSTED' }),
      { kind: 'throttled', code: 'RESOURCE_EXHAUSTED', afterMs: 60_000, scope: 'project' },
    ],
    [
      failed(503, { status: 'UNAVAILABLE' }, { 'retry-after': '30' }),
      { kind: 'retry', code: 'UNAVAILABLE', afterMs: 30_000 },
    ],
    [failed(500, { status: 'INTERNAL' }), { kind: 'retry', code: 'INTERNAL', afterMs: 10_000 }],
    [failed(403, { status: 'PERMISSION_DENIED' }), { kind: 'blocked', code: 'PERMISSION_DENIED' }],
    [() => ({ status: 502, body: '<html>' }), { kind: 'retry', code: 'status502', afterMs: 10_000 }],
    [() => ({ status: 404, body: '<html>' }), { kind: 'refused', code: 'status404' }],
  ];
  for (const [answer, outcome] of cases) {
    await withGoogle(answer, async (world) => assert.deepEqual(await send(world), outcome));
  }
});

test('BC-47: a token of another project stays; many are our wrong credentials', async () => {
  const mismatch = failed(403, { status: 'PERMISSION_DENIED', details: [fcmError('SENDER_ID_MISMATCH')] });
  await withGoogle(mismatch, async (world) => {
    const one = send(world);
    while (world.server.seen.length === 0) await new Promise(setImmediate);
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    world.clock.advance(limits.doubtfulWaitMs);
    assert.deepEqual(await one, { kind: 'refused', code: 'SENDER_ID_MISMATCH' });
    const many = await Promise.all(Array.from({ length: 60 }, () => send(world)));
    assert.deepEqual(new Set(many.map(({ kind }) => kind)), new Set(['blocked']));
  });
});

test('BC-48: 214 devices and a GOAWAY above 100 open streams: each gets exactly one, and each has its result', async () => {
  const answer: Answering = ({ connection, stream }) => {
    if (connection === 0 && stream === 201) server.sessions[0]?.goaway(0, 201);
    return { status: 200, body: `{"name":"${connection} ${stream}"}` };
  };
  let server!: TestHttp2Server;
  await withGoogle(answer, async (world) => {
    server = world.server;
    const outcomes = await Promise.all(
      Array.from({ length: 214 }, (_, i) => send(world, tokenDevice('fcm', `token-${i}`))),
    );
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['accepted']));
    const taken = server.seen.filter(({ connection, stream }) => connection !== 0 || stream <= 201);
    const tokens = taken.map(({ body }) => JSON.parse(body).message.token);
    assert.equal(tokens.length, 214);
    assert.equal(new Set(tokens).size, 214);
  });
});

test('V10: one access token for all, signed by the service account, and another before it ends', async () => {
  await withGoogle(
    () => ({ status: 200, body: '{"name":"x"}' }),
    async (world) => {
      await Promise.all(Array.from({ length: 20 }, () => send(world)));
      assert.equal(world.grants.length, 1);
      const form = new URLSearchParams(world.grants[0]?.body);
      assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
      const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
      assert.ok(
        verify('sha256', Buffer.from(`${head}.${claims}`), googleKeys.publicKey, Buffer.from(signature, 'base64url')),
      );
      const { iss, scope, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
      assert.deepEqual([iss, exp - iat], ['push@project-1.example', 3600]);
      assert.equal(scope, 'https://www.googleapis.com/auth/firebase.messaging');
      world.clock.advance(3599_000 - limits.accessTokenSpareMs);
      await send(world);
      assert.equal(world.grants.length, 2);
    },
  );
});

test('an access token that Google takes no longer is fetched once more, and the push sent once more', async () => {
  let times = 0;
  const answer: Answering = () =>
    ++times === 1 ? { status: 401, body: '{"error":{"status":"UNAUTHENTICATED"}}' } : { status: 200, body: '{}' };
  await withGoogle(answer, async (world) => {
    assert.equal((await send(world)).kind, 'accepted');
    assert.deepEqual([world.grants.length, world.server.seen.length], [2, 2]);
  });
  await withGoogle(failed(401, { status: 'UNAUTHENTICATED' }), async (world) => {
    assert.deepEqual(await send(world), { kind: 'blocked', code: 'UNAUTHENTICATED' });
    assert.equal(world.server.seen.length, 2);
  });
});

test('no access token: refused by Google blocks, what may pass is tried again, and nothing was sent', async () => {
  const cases: [ApiAnswer | null, string][] = [
    [
      { status: 400, body: '{"error":"invalid_grant","error_description":"Invalid JWT Signature."}' },
      'blocked invalidGrant',
    ],
    [{ status: 401, body: '{"error":"invalid_client"}' }, 'blocked accessToken401'],
    [{ status: 503, body: '' }, 'retry accessToken503'],
    [null, 'retry ECONNRESET'],
  ];
  for (const [grant, expected] of cases) {
    await withGoogle(
      () => ({ status: 200 }),
      async (world) => {
        const outcome = await send(world);
        assert.equal(`${outcome.kind} ${'code' in outcome ? outcome.code : ''}`, expected);
        await send(world);
        assert.equal(world.grants.length, 1, 'not again at once');
        assert.equal(world.server.seen.length, 0);
      },
      () => grant,
    );
  }
});

test('`carillon check push`: a dry run, and what is wrong in words', async () => {
  const notToken = failed(400, {
    status: 'INVALID_ARGUMENT',
    message: 'The registration token is not a valid FCM registration token',
    details: [fcmError('INVALID_ARGUMENT')],
  });
  await withGoogle(notToken, async ({ fcm, server }) => {
    const [finding] = await fcm.check();
    assert.deepEqual([finding?.isGood, finding?.what], [true, 'fcm com.example.app (project-1)']);
    assert.equal(JSON.parse(server.seen[0]?.body ?? '').validate_only, true);
  });
  await withGoogle(failed(403, { status: 'PERMISSION_DENIED' }), async ({ fcm }) => {
    const [finding] = await fcm.check();
    assert.equal(finding?.isGood, false);
    assert.match(finding?.text ?? '', /push@project-1\.example may not send in project project-1: give it the role/);
  });
  await withGoogle(
    () => null,
    async ({ fcm }) => {
      const [finding] = await fcm.check();
      assert.match(
        finding?.text ?? '',
        /gives push@project-1\.example no access token: invalid_grant: Invalid JWT Signature\./,
      );
    },
    () => ({ status: 400, body: '{"error":"invalid_grant","error_description":"Invalid JWT Signature."}' }),
  );
});
