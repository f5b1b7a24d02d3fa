import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CarillonError } from '../base/carillon-error.ts';
import { readDevice, readDeviceAddress } from './read-device.ts';

const point = (): string => {
  const curve = createECDH('prime256v1');
  return curve.generateKeys().toString('base64url');
};
const vapidKey = point();
const keys = { p256dh: point(), auth: Buffer.alloc(16, 7).toString('base64url') };
const subscription = { endpoint: 'https://push.example/x?y=1', expirationTime: null, keys };
const app = 'org.example.app';
const fcmToken = `${'fLk3_x-Y'.repeat(3)}:APA91b${'Zz_-'.repeat(30)}`;

function faultsOf(value: unknown, key: string | null = vapidKey): string[] {
  try {
    readDevice(value, key);
  } catch (error) {
    assert.ok(error instanceof CarillonError && error.code === 'CARILLON_DEVICE_INVALID', String(error));
    return error.fields.map(({ path }) => path).toSorted();
  }
  return [];
}

describe('what is said of a device', () => {
  test('is kept in one form', () => {
    const said = { provider: 'apns', token: 'ABCDEF01'.repeat(8), app, appVersion: '7.1 (3)', environment: 'sandbox' };
    assert.deepEqual(readDevice({ ...said, locale: 'de-at', timeZone: 'asia/calcutta' }, null), {
      provider: 'apns',
      address: { kind: 'token', value: 'abcdef01'.repeat(8) },
      app,
      appVersion: '7.1 (3)',
      environment: 'sandbox',
      locale: 'de-AT',
      timeZone: 'Asia/Kolkata',
    });
    const { address } = readDevice({ provider: 'fcm', fid: 'cjX4_aBcDeFgHiJkLmNoPq', app }, null);
    assert.deepEqual(address, { kind: 'fid', value: 'cjX4_aBcDeFgHiJkLmNoPq' });
    for (const token of ['ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]', 'ExpoPushToken[a-b_1]'])
      assert.equal(readDevice({ provider: 'expo', token, app }, null).environment, 'production');
    assert.equal(faultsOf({ provider: 'fcm', token: fcmToken, app }).length, 0);
  });

  test('a subscription is kept with the key it was made with, and without padding', () => {
    const padded = { ...keys, auth: `${keys.auth}==` };
    const expected = { kind: 'subscription', endpoint: subscription.endpoint, ...keys };
    const given = { provider: 'webpush', subscription: { ...subscription, keys: padded }, app };
    assert.deepEqual(readDevice(given, vapidKey).address, { ...expected, vapidKey });
    const other = point();
    assert.deepEqual(readDevice({ ...given, vapidKey: other }, vapidKey).address, { ...expected, vapidKey: other });
    assert.deepEqual(faultsOf(given, null), ['/vapidKey']);
    assert.equal(readDeviceAddress({ provider: 'webpush', subscription }).address.kind, 'subscription');
  });

  const offCurve = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url');
  const web = (change: object) => ({ provider: 'webpush', subscription: { ...subscription, ...change }, app });
  const refused: [string, unknown, string[]][] = [
    ['nothing', null, ['']],
    ['an unknown provider', { provider: 'gcm', token: fcmToken, app }, ['/provider']],
    ['an unknown field', { provider: 'fcm', token: fcmToken, app, tokn: 'x' }, ['/tokn']],
    ['no app', { provider: 'fcm', token: fcmToken }, ['/app']],
    ['an app with a line break', { provider: 'fcm', token: fcmToken, app: 'a\nb' }, ['/app']],
    ['no address', { provider: 'fcm', app }, ['/token']],
    ['two addresses', { provider: 'fcm', token: fcmToken, fid: 'cjX4_aBcDeFgHiJkLmNoPq', app }, ['/token']],
    ['an address of another provider', { provider: 'apns', fid: 'cjX4_aBcDeFgHiJkLmNoPq', app }, ['/fid']],
    ['a token of APNs that is no hex', { provider: 'apns', token: 'xy'.repeat(32), app }, ['/token']],
    ['half a byte', { provider: 'apns', token: 'a'.repeat(63), app }, ['/token']],
    ['an endless token', { provider: 'apns', token: 'ab'.repeat(201), app }, ['/token']],
    ['a path instead of a token', { provider: 'apns', token: '../../3/device/ab', app }, ['/token']],
    ['a token of FCM with a space', { provider: 'fcm', token: `${fcmToken} `, app }, ['/token']],
    ['a token of Expo without its form', { provider: 'expo', token: 'x'.repeat(22), app }, ['/token']],
    ['an endpoint without TLS', web({ endpoint: 'http://push.example/x' }), ['/subscription/endpoint']],
    ['an endpoint with a password', web({ endpoint: 'https://u:p@push.example/x' }), ['/subscription/endpoint']],
    ['an endpoint that is none', web({ endpoint: 'push' }), ['/subscription/endpoint']],
    ['a point off the curve', web({ keys: { ...keys, p256dh: offCurve } }), ['/subscription/keys/p256dh']],
    ['a secret of 15 bytes', web({ keys: { ...keys, auth: 'a'.repeat(20) } }), ['/subscription/keys/auth']],
    ['a key that is no base64url', web({ keys: { ...keys, auth: '+'.repeat(22) } }), ['/subscription/keys/auth']],
    ['a wrong VAPID key', { ...web({}), vapidKey: 'AAAA' }, ['/vapidKey']],
    ['a VAPID key of a token', { provider: 'fcm', token: fcmToken, app, vapidKey }, ['/vapidKey']],
    ['no language', { provider: 'fcm', token: fcmToken, app, locale: '_' }, ['/locale']],
    ['an offset as zone', { provider: 'fcm', token: fcmToken, app, timeZone: '+01:00' }, ['/timeZone']],
  ];
  for (const [name, value, paths] of refused)
    test(`${name} is refused`, () => assert.deepEqual(faultsOf(value), paths));

  test('whatever is sent is read or refused, never an error of ours, and no refusal quotes it', () => {
    const text = fc.string({ minLength: 12, maxLength: 40, unit: 'binary' });
    const field = fc.oneof(text, fc.constant(undefined), fc.integer());
    const anything = fc.record({
      provider: fc.constantFrom('apns', 'fcm', 'webpush', 'expo'),
      app: fc.constant(app),
      token: field,
      fid: field,
      subscription: fc.option(fc.record({ endpoint: text, keys: fc.record({ p256dh: text, auth: text }) }), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(anything, (value) => {
        try {
          readDevice(value, vapidKey);
        } catch (error) {
          assert.ok(error instanceof CarillonError);
          const words = JSON.stringify([error.message, error.fields]);
          for (const part of [value.token, value.fid, value.subscription?.endpoint])
            if (typeof part === 'string') assert.ok(!words.includes(part));
        }
      }),
    );
  });
});
