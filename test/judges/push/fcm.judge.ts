/** Bodies for FCM are those that Google's own library sends for the same message; it is sent to a server of this machine. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging, type TokenMessage } from 'firebase-admin/messaging';
import { makeCertificate } from '../../../scripts/make-certificate.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import type { PushMessage } from '../../../server/src/deliver/push/push-provider.ts';
import { PushProviderFcm } from '../../../server/src/deliver/push/push-provider-fcm.ts';
import { TestHttp2Server } from '../../../server/src/deliver/push/test-http2-server.ts';
import {
  alertOf,
  badge,
  googleKeys,
  nowMs,
  retraction,
  text,
  tokenDevice,
} from '../../../server/src/deliver/push/test-push.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-fcm-'));
makeCertificate(folder);
const [cert, serverKey] = ['server.pem', 'server.key'].map((name) => readFileSync(join(folder, name), 'utf8'));
const server = new TestHttp2Server(
  () => ({ status: 200, body: '{"name":"projects/project-1/messages/1"}' }),
  {},
  { cert: cert ?? '', key: serverKey ?? '' },
);
const connect = http2.connect;
const google = initializeApp({
  projectId: 'project-1',
  credential: { getAccessToken: async () => ({ access_token: 'ya29.x', expires_in: 3600 }) },
});
const account = {
  projectId: 'project-1',
  clientEmail: 'push@project-1.example',
  keyId: 'k1',
  key: googleKeys.privateKey,
  tokenUrl: 'https://oauth2.googleapis.com/token',
};
const fcm = new PushProviderFcm([{ account, apps: ['com.example.app'], origin: null }], new VirtualClock(nowMs));
const device = tokenDevice('fcm', 'fcm-token');

interface Body {
  readonly message: { readonly data: { readonly carillon: string } };
}

function ours(message: PushMessage): Body {
  const request = fcm.render(message, device, nowMs);
  assert.ok(request !== null);
  return JSON.parse(String(request.body)) as Body;
}

async function theirs(message: Omit<TokenMessage, 'token'>): Promise<unknown> {
  const { responses } = await getMessaging(google).sendEach([{ ...message, token: 'fcm-token' }]);
  assert.equal(responses[0]?.error?.message, undefined);
  return JSON.parse(server.seen.at(-1)?.body ?? '');
}

describe('firebase-admin', { concurrency: false }, () => {
  before(async () => {
    const origin = await server.listen();
    // The library knows no other address than Google's, and sends `https:` for a scheme, which Node takes from nobody.
    const connectHere = (): http2.ClientHttp2Session => {
      const session = connect(origin, { ca: cert });
      const request = session.request.bind(session);
      return Object.assign(session, {
        request: (headers: http2.OutgoingHttpHeaders) => request({ ...headers, ':scheme': 'https' }),
      });
    };
    Object.assign(http2, { connect: connectHere });
  });
  after(async () => {
    Object.assign(http2, { connect });
    rmSync(folder, { recursive: true });
    await Promise.all([deleteApp(google), fcm.close(), server.close()]);
  });

  for (const [name, message] of [
    ['an urgent alert with picture and buttons', alertOf()],
    ['a plain alert', alertOf({ urgency: 'normal', text: { ...text, url: null, image: null, actions: [] } })],
  ] as const) {
    test(`V10: ${name}`, async () => {
      const body = ours(message);
      const { image } = message.text;
      const isHigh = message.urgency === 'high';
      const expected = await theirs({
        notification: {
          title: message.text.title,
          body: message.text.body,
          ...(image !== null && { imageUrl: image }),
        },
        data: body.message.data,
        android: {
          priority: isHigh ? 'high' : 'normal',
          ttl: 3_600_000,
          notification: { channelId: message.category, tag: message.collapseId, notificationCount: message.badge },
        },
        apns: {
          headers: {
            'apns-push-type': 'alert',
            'apns-priority': isHigh ? '10' : '5',
            'apns-expiration': String(nowMs / 1000 + 3600),
            'apns-collapse-id': message.collapseId,
          },
          payload: {
            aps: {
              badge: message.badge,
              threadId: message.threadId,
              category: message.type,
              ...(isHigh && { sound: 'default' }),
              ...(image !== null && { mutableContent: true }),
            },
          },
          ...(image !== null && { fcmOptions: { imageUrl: image } }),
        },
      });
      assert.deepEqual(body, expected);
    });
  }

  for (const message of [badge, retraction]) {
    test(`V12: silent: ${message.kind}`, async () => {
      const body = ours(message);
      const expected = await theirs({
        data: body.message.data,
        android: { priority: 'normal', ttl: 60_000 },
        apns: {
          headers: {
            'apns-push-type': 'alert',
            'apns-priority': '5',
            'apns-expiration': String(nowMs / 1000 + 60),
            ...(message.kind === 'retract' && { 'apns-collapse-id': message.collapseId }),
          },
          payload: { aps: { badge: message.badge, contentAvailable: true } },
        },
      });
      assert.deepEqual(body, expected);
    });
  }
});
