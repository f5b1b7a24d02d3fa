/**
 * C3 for every provider, 10,000 texts each: the payload keeps its limit, is JSON, and no character that a reader sees as
 * one is cut. Graphemes are told apart by ICU, as in the product; what they must be is said by the test alone.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemRandom } from '../../../server/src/base/random.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import type { PushText } from '../../../server/src/content/render-push.ts';
import type { PushProvider } from '../../../server/src/deliver/push/push-provider.ts';
import { PushProviderApns } from '../../../server/src/deliver/push/push-provider-apns.ts';
import { PushProviderExpo } from '../../../server/src/deliver/push/push-provider-expo.ts';
import { PushProviderFcm } from '../../../server/src/deliver/push/push-provider-fcm.ts';
import { PushProviderWebPush } from '../../../server/src/deliver/push/push-provider-webpush.ts';
import {
  alertOf,
  apnsKeys,
  deviceOf,
  googleKeys,
  nowMs,
  tokenDevice,
} from '../../../server/src/deliver/push/test-push.ts';
import { newVapidKey, vapidKey } from '../../../server/src/deliver/push/vapid.ts';
import type { Device } from '../../../server/src/profile/device.ts';

const clock = new VirtualClock(nowMs);
const apps = ['com.example.app'];
const account = {
  projectId: 'p',
  clientEmail: 'e',
  keyId: 'k',
  key: googleKeys.privateKey,
  tokenUrl: 'https://x.example',
};
const key = vapidKey(newVapidKey());
const point = Buffer.from(
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey.export({ format: 'jwk' }).x ?? '',
);
const endpoint = 'https://updates.push.services.mozilla.com/wpush/v2/x';
const subscription = {
  kind: 'subscription',
  endpoint,
  p256dh: point.toString('base64url'),
  auth: 'x',
  vapidKey: key.publicKey,
} as const;

interface Shown {
  readonly title: string;
  readonly body: string;
}

type Parsed = Record<string, never> & {
  aps: { alert: Shown };
  message: Record<string, unknown> & { notification: Shown };
  notification: Shown;
} & Shown;

const judged: { provider: PushProvider; device: Device; payload(body: string): string; shown(body: Parsed): Shown }[] =
  [
    {
      provider: new PushProviderApns(
        [{ teamId: 'T', keyId: 'K', key: apnsKeys.privateKey, apps, environment: null, origin: null }],
        clock,
      ),
      device: tokenDevice('apns', 'aa'),
      payload: (body) => body,
      shown: ({ aps }) => aps.alert,
    },
    {
      provider: new PushProviderFcm([{ account, apps, origin: null }], clock),
      device: tokenDevice('fcm', 'f'),
      // FCM counts what reaches the device, without the token.
      payload: (body) => JSON.stringify({ ...(JSON.parse(body) as Parsed).message, token: undefined }),
      shown: ({ message }) => message.notification,
    },
    {
      provider: new PushProviderWebPush(
        { keys: [key], subject: 'mailto:a@b.example', endpoints: { hosts: ['*'], isLocalAllowed: false } },
        { clock, random: systemRandom },
      ),
      device: deviceOf('webpush', subscription, { app: 'https://app.example' }),
      payload: (body) => body,
      shown: ({ notification }) => notification,
    },
    {
      provider: new PushProviderExpo({ apps, accessToken: null, origin: null }, clock),
      device: tokenDevice('expo', 'ExponentPushToken[x]'),
      payload: (body) => body,
      shown: ({ title, body }) => ({ title, body }),
    },
  ];

const part = fc.oneof(
  fc.constantFrom('👩‍👩‍👧‍👦', '🇩🇪', 'நி', 'é', '"', '\\', '\n', 'نص', '\u2068Ana\u2069', ' ', '한', '\u0001'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const anyText = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 }))
  .map(([parts, times]) => `a${parts.join('').repeat(times)}`.toWellFormed());
const path = fc.string({ maxLength: 1500 }).map((text) => `/${encodeURIComponent(text.toWellFormed())}`);
const push: fc.Arbitrary<PushText> = fc.record({
  title: anyText,
  body: anyText,
  locale: fc.constantFrom('en', 'ar', 'zh-Hant'),
  direction: fc.constantFrom('ltr' as const, 'rtl' as const),
  url: fc.option(path),
  image: fc.option(path.map((tail) => `https://app.example${tail}`)),
  actions: fc.array(
    fc.record({ id: fc.constant('a'), label: anyText.map((label) => label.slice(0, 200).toWellFormed()), url: path }),
    {
      maxLength: 4,
    },
  ),
});

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** `shown` is `given`, or a beginning of it that ends between graphemes, with an ellipsis. */
function isWhole(shown: string, given: string): boolean {
  if (shown === given) return true;
  if (!shown.endsWith('…') || !shown.isWellFormed() || shown === '…') return shown === '…' && given.trim() === '';
  const kept = shown.slice(0, -1).replace(/\u2069$/, '');
  const at = given.startsWith(kept) ? kept.length : -1;
  if (at < 0) return false;
  // What follows may be space that was left out before the ellipsis.
  const ends = new Set([0]);
  for (const { index, segment } of graphemes.segment(given)) ends.add(index + segment.length);
  const skipped = /^[\s\u2068\u2069]*/.exec(given.slice(at))?.[0].length ?? 0;
  return Array.from({ length: skipped + 1 }, (_, i) => at + i).some((end) => ends.has(end));
}

for (const { provider, device, payload, shown } of judged) {
  test(`C3: ${provider.name}: 10,000 texts`, async () => {
    fc.assert(
      fc.property(push, (text) => {
        const request = provider.render(alertOf({ text }), device, nowMs);
        assert.ok(request !== null);
        const body = String(request.body);
        const bytes = Buffer.byteLength(payload(body));
        assert.ok(bytes <= provider.limits.payloadBytesMax, `${bytes} bytes`);
        const { title, body: words } = shown(JSON.parse(body) as Parsed);
        assert.ok(isWhole(title, text.title), JSON.stringify([title.slice(-40), text.title.length]));
        assert.ok(isWhole(words, text.body), JSON.stringify([words.slice(-40), text.body.length]));
      }),
      { numRuns: 10_000 },
    );
    await provider.close();
  });
}
