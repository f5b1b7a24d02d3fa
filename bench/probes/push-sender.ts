/**
 * Sends pushes as fast as they are answered, with as many under way as UNDER_WAY says, for DURATION_MS, and prints what it did.
 * WAY: `ours` (the provider, rendering each), `bare` (the same requests ready made, node:http2 alone), and for browsers
 * `webpush` (the provider) and `encryption` (one encryption after the other, nothing sent).
 */
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import http2 from 'node:http2';
import { systemClock } from '../../server/src/base/clock.ts';
import { systemRandom } from '../../server/src/base/random.ts';
import { ProviderToken } from '../../server/src/deliver/push/provider-token.ts';
import type { PushProvider } from '../../server/src/deliver/push/push-provider.ts';
import { PushProviderApns } from '../../server/src/deliver/push/push-provider-apns.ts';
import { PushProviderWebPush } from '../../server/src/deliver/push/push-provider-webpush.ts';
import { alertOf, deviceOf, tokenDevice } from '../../server/src/deliver/push/test-push.ts';
import { newVapidKey, vapidKey } from '../../server/src/deliver/push/vapid.ts';
import { encryptForBrowser, oneTimeSecrets } from '../../server/src/deliver/push/web-push-encryption.ts';
import type { Device } from '../../server/src/profile/device.ts';

const { WAY = 'ours', ORIGIN = '', CA = '', DURATION_MS = '1000', UNDER_WAY = '200', CONNECTIONS = '2' } = process.env;
const connections = Number(CONNECTIONS);

const key = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
const ofApple = { teamId: 'TEAM123456', keyId: 'KEY1234567', key };
const message = alertOf({ expiresAtMs: systemClock.now() + 3_600_000 });
const tokenOf = (i: number): string => i.toString(16).padStart(64, '0');

interface Way {
  /** Sends one push; false if it was not accepted. */
  readonly send: (i: number) => Promise<boolean> | boolean;
  readonly close: () => Promise<void>;
}

function ours(): Way {
  const credential = { ...ofApple, apps: ['com.example.app'], environment: null, origin: ORIGIN };
  return by(new PushProviderApns([credential], systemClock), (i) => tokenDevice('apns', tokenOf(i)));
}

function webPush(): Way {
  const vapid = vapidKey(newVapidKey());
  const endpoints = { hosts: [], isLocalAllowed: true };
  const provider = new PushProviderWebPush(
    { keys: [vapid], subject: 'mailto:ops@app.example', endpoints },
    { clock: systemClock, random: systemRandom, ca: CA },
  );
  const subscription = {
    kind: 'subscription',
    endpoint: `${ORIGIN}/push`,
    ...browserKeys(),
    vapidKey: vapid.publicKey,
  } as const;
  return by(provider, () => deviceOf('webpush', subscription, { app: 'https://app.example' }));
}

function by(provider: PushProvider, deviceFor: (i: number) => Device): Way {
  return {
    async send(i) {
      const device = deviceFor(i);
      const request = provider.render(message, device, systemClock.now());
      return request !== null && (await provider.send(request, device)).kind === 'accepted';
    },
    close: () => provider.close(),
  };
}

function bare(): Way {
  const provider = new PushProviderApns([{ ...ofApple, apps: [], environment: null, origin: ORIGIN }], systemClock);
  const request = provider.render(message, tokenDevice('apns', tokenOf(0)), systemClock.now());
  const authorization = `bearer ${new ProviderToken({ ...ofApple, clock: systemClock }).current()}`;
  const sessions = Array.from({ length: connections }, () => http2.connect(ORIGIN));
  return {
    send: (i) =>
      new Promise((resolve) => {
        const path = `/3/device/${tokenOf(i)}`;
        const headers = { ...request?.headers, ':method': 'POST', ':path': path, authorization };
        const stream = (sessions[i % connections] as http2.ClientHttp2Session).request(headers);
        let status: number | undefined;
        stream.on('response', (given) => {
          status = given[':status'];
        });
        stream.on('error', () => resolve(false));
        stream.on('end', () => resolve(status === 200));
        stream.resume();
        stream.end(request?.body);
      }),
    async close() {
      for (const session of sessions) session.close();
      await provider.close();
    },
  };
}

function encryption(): Way {
  const text = randomBytes(600);
  const keys = browserKeys();
  const pair = createECDH('prime256v1');
  return {
    send: () => encryptForBrowser(text, keys, oneTimeSecrets(systemRandom, pair)).length > text.length,
    close: async () => undefined,
  };
}

function browserKeys(): { p256dh: string; auth: string } {
  const pair = createECDH('prime256v1');
  return { p256dh: pair.generateKeys().toString('base64url'), auth: randomBytes(16).toString('base64url') };
}

const ways: Readonly<Record<string, () => Way>> = { ours, webpush: webPush, bare, encryption };
const way = ways[WAY]?.();
if (way === undefined) throw new Error(`no such way: ${WAY}`);

/** Pushes until then; what was done, by how much CPU of this process. */
async function run(durationMs: number): Promise<{ pushes: number; failed: number; ms: number; cpuUs: number }> {
  const begun = performance.now();
  const before = process.cpuUsage();
  let [pushes, failed, next] = [0, 0, 0];
  const lane = async (): Promise<void> => {
    while (performance.now() - begun < durationMs) {
      if (await way?.send(next++)) pushes++;
      else failed++;
    }
  };
  await Promise.all(Array.from({ length: Number(UNDER_WAY) }, lane));
  const { user, system } = process.cpuUsage(before);
  return { pushes, failed, ms: performance.now() - begun, cpuUs: user + system };
}

await run(Number(DURATION_MS) / 4);
process.stdout.write(`${JSON.stringify(await run(Number(DURATION_MS)))}\n`);
await way.close();
