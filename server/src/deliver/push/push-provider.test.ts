import { createECDH, randomBytes } from 'node:crypto';
import { systemRandom } from '../../base/random.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { apiServer } from '../email/test-api-server.ts';
import { type PushWorld, pushProviderContract, type Service } from './push-provider.contract.ts';
import type { PushProvider } from './push-provider.ts';
import { PushProviderApns } from './push-provider-apns.ts';
import { PushProviderExpo } from './push-provider-expo.ts';
import { PushProviderFcm } from './push-provider-fcm.ts';
import { PushProviderWebPush } from './push-provider-webpush.ts';
import { type Reply, TestHttp2Server } from './test-http2-server.ts';
import { apnsKeys, deviceOf, googleKeys, nowMs, tokenDevice } from './test-push.ts';
import { newVapidKey, vapidKey } from './vapid.ts';

const apps = ['com.example.app'];
/** `null` cuts the connection. */
type Replies = Record<Exclude<Service, 'cuts'>, Reply>;

const nonsense = { status: 418, body: '<html>' };

pushProviderContract('apns', (service) => {
  const replies = {
    takes: { status: 200 },
    fails: { status: 503, body: '{"reason":"ServiceUnavailable"}' },
    gone: { status: 410, body: '{"reason":"Unregistered","timestamp":1}' },
    nonsense,
  };
  const credential = { teamId: 'TEAM123456', keyId: 'KEY1234567', key: apnsKeys.privateKey, apps, environment: null };
  const make = (origin: string): PushProvider =>
    new PushProviderApns([{ ...credential, origin }], new VirtualClock(nowMs));
  return overHttp2(service, replies, (origin) => ({ provider: make(origin), device: tokenDevice('apns', 'aa') }));
});

pushProviderContract('fcm', async (service) => {
  const google = await apiServer(async () => ({ status: 200, body: '{"access_token":"x","expires_in":3600}' }));
  const details = [{ '@type': 'x/google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' }];
  const replies = {
    takes: { status: 200, body: '{"name":"projects/p/messages/1"}' },
    fails: { status: 503, body: '{"error":{"status":"UNAVAILABLE"}}' },
    gone: { status: 404, body: JSON.stringify({ error: { status: 'NOT_FOUND', details } }) },
    nonsense,
  };
  const key = googleKeys.privateKey;
  const account = { projectId: 'p', clientEmail: 'e', keyId: 'k', key, tokenUrl: `${google.url}/token` };
  const world = await overHttp2(service, replies, (origin) => ({
    provider: new PushProviderFcm([{ account, apps, origin }], new VirtualClock(nowMs)),
    device: tokenDevice('fcm', 'f'),
  }));
  const close = async (): Promise<void> => {
    await world.close();
    await google.stop();
  };
  return { ...world, close };
});

pushProviderContract('webpush', (service) => {
  const replies = { takes: { status: 201 }, fails: { status: 503 }, gone: { status: 410 }, nonsense };
  const key = vapidKey(newVapidKey());
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url');
  const auth = randomBytes(16).toString('base64url');
  return overHttp1(service, replies, (origin) => ({
    provider: new PushProviderWebPush(
      { keys: [key], subject: 'mailto:a@b.example', endpoints: { hosts: [], isLocalAllowed: true } },
      { clock: new VirtualClock(nowMs), random: systemRandom },
    ),
    device: deviceOf(
      'webpush',
      { kind: 'subscription', endpoint: `${origin}/1`, p256dh, auth, vapidKey: key.publicKey },
      { app: 'https://app.example' },
    ),
  }));
});

pushProviderContract('expo', (service) => {
  const replies = {
    takes: { status: 200, body: '{"data":{"status":"ok","id":"1"}}' },
    fails: { status: 503, body: '' },
    gone: { status: 200, body: '{"data":{"status":"error","details":{"error":"DeviceNotRegistered"}}}' },
    nonsense: { status: 200, body: '<html>' },
  };
  return overHttp1(service, replies, (origin) => ({
    provider: new PushProviderExpo({ apps, accessToken: null, origin }, new VirtualClock(nowMs)),
    device: tokenDevice('expo', 'ExponentPushToken[x]'),
  }));
});

type Make = (origin: string) => Pick<PushWorld, 'provider' | 'device'>;

async function overHttp2(service: Service, replies: Replies, make: Make): Promise<PushWorld> {
  const server = new TestHttp2Server((_request, stream) => {
    if (service !== 'cuts') return replies[service];
    stream.session?.destroy();
    return null;
  });
  const made = make(await server.listen());
  return worldOf(
    made,
    () => server.seen.length,
    () => server.close(),
  );
}

async function overHttp1(service: Service, replies: Replies, make: Make): Promise<PushWorld> {
  let arrived = 0;
  const server = await apiServer(async () => {
    arrived++;
    return service === 'cuts' ? null : replies[service];
  });
  return worldOf(
    make(server.url),
    () => arrived,
    () => server.stop(),
  );
}

function worldOf(made: ReturnType<Make>, arrived: () => number, stop: () => Promise<void>): PushWorld {
  let isStopped = false;
  const stopService = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await stop();
  };
  const close = async (): Promise<void> => {
    await Promise.all([made.provider.close(), stopService()]);
  };
  return { ...made, arrived, stopService, close };
}
