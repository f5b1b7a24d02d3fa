/** From what an app says of a device to the form in which it is kept: each provider's addresses have their own form (V11). */
import { createPublicKey } from 'node:crypto';
import { DeviceAddressRequest, DeviceRequest, type PushSubscription } from '@carillon/contract/devices.ts';
import { Compile } from 'typebox/compile';
import { CarillonError, type FieldError } from '../base/carillon-error.ts';
import { fieldErrors } from '../base/field-errors.ts';
import { lazy } from '../base/lazy.ts';
import { canonicalLocale } from './canonical-locale.ts';
import { canonicalTimeZone } from './canonical-time-zone.ts';
import type { DeviceAddress, DeviceRegistration, PushProviderName } from './device.ts';

export type SaidOfDevice = Omit<DeviceRegistration, 'person' | 'session'>;

const device = lazy(() => Compile(DeviceRequest));
const addressed = lazy(() => Compile(DeviceAddressRequest));

/** `vapidKey`: the service's present one, null if it has none. Throws CARILLON_DEVICE_INVALID with every fault found. */
export function readDevice(value: unknown, vapidKey: string | null): SaidOfDevice {
  if (!device().Check(value)) throw invalid(fieldErrors(device(), value));
  const said = value as DeviceRequest;
  const faults: FieldError[] = [];
  const address = readAddress(said, said.vapidKey ?? vapidKey, faults);
  const locale = said.locale === undefined ? null : canonicalLocale(said.locale);
  if (locale === null && said.locale !== undefined) fault(faults, '/locale', 'Is no language tag (BCP 47).');
  const timeZone = said.timeZone === undefined ? null : canonicalTimeZone(said.timeZone);
  if (timeZone === null && said.timeZone !== undefined)
    fault(faults, '/timeZone', 'Is no name of a time zone in the IANA database.');
  if (said.vapidKey !== undefined && said.provider !== 'webpush')
    fault(faults, '/vapidKey', 'Goes with a subscription only.');
  if (address === null || faults.length > 0) throw invalid(faults);
  return {
    provider: said.provider,
    address,
    app: said.app,
    appVersion: said.appVersion ?? null,
    environment: said.environment ?? 'production',
    locale,
    timeZone,
  };
}

/** The same of the address alone, to find a device by. */
export function readDeviceAddress(value: unknown): { provider: PushProviderName; address: DeviceAddress } {
  if (!addressed().Check(value)) throw invalid(fieldErrors(addressed(), value));
  const said = value as DeviceAddressRequest;
  const faults: FieldError[] = [];
  // By which key it was made is not asked: the endpoint says which it is.
  const address = readAddress(said, '', faults);
  if (address === null) throw invalid(faults);
  return { provider: said.provider, address };
}

const kinds = ['token', 'fid', 'subscription'] as const;
const kindsOf: Readonly<Record<PushProviderName, readonly (typeof kinds)[number][]>> = {
  apns: ['token'],
  fcm: ['token', 'fid'],
  webpush: ['subscription'],
  expo: ['token'],
};

/** Bounded, and no longer than they need be: providers do not promise a length. */
const tokenForms: Readonly<Record<Exclude<PushProviderName, 'webpush'>, { form: RegExp; words: string }>> = {
  apns: { form: /^(?:[0-9a-f]{2}){16,200}$/i, words: 'Is no device token of APNs: bytes in hexadecimal, at least 16.' },
  fcm: { form: /^[A-Za-z0-9_:.-]{20,4096}$/, words: 'Is no registration token of FCM.' },
  expo: {
    form: /^Expo(nent)?PushToken\[[A-Za-z0-9_-]{1,128}\]$/,
    words: 'Is no push token of Expo: ExponentPushToken[…].',
  },
};
const fidForm = /^[A-Za-z0-9_-]{16,128}$/;

function readAddress(said: DeviceAddressRequest, vapidKey: string | null, faults: FieldError[]): DeviceAddress | null {
  const given = kinds.filter((kind) => said[kind] !== undefined);
  const fitting = kindsOf[said.provider];
  for (const kind of given) {
    if (!fitting.includes(kind)) return fault(faults, `/${kind}`, `Is nothing that ${said.provider} sends to.`);
  }
  if (given.length !== 1) return fault(faults, `/${fitting[0]}`, `Exactly one is needed of: ${fitting.join(', ')}.`);
  if (said.subscription !== undefined) return readSubscription(said.subscription, vapidKey, faults);
  if (said.fid !== undefined)
    return fidForm.test(said.fid) ? { kind: 'fid', value: said.fid } : fault(faults, '/fid', 'Is no installation id.');
  const { form, words } = tokenForms[said.provider as keyof typeof tokenForms];
  const token = said.token as string;
  if (!form.test(token)) return fault(faults, '/token', words);
  return { kind: 'token', value: said.provider === 'apns' ? token.toLowerCase() : token };
}

const [pointBytes, authBytes] = [65, 16];

function readSubscription(
  { endpoint, keys }: PushSubscription,
  vapidKey: string | null,
  faults: FieldError[],
): DeviceAddress | null {
  const url = URL.parse(endpoint);
  const [p256dh, auth] = [bytesOf(keys.p256dh), bytesOf(keys.auth)];
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '')
    fault(faults, '/subscription/endpoint', 'Is no https URL of a push service.');
  if (p256dh === null || !isPoint(p256dh))
    fault(faults, '/subscription/keys/p256dh', `Is no P-256 point of ${pointBytes} bytes, as base64url.`);
  if (auth?.length !== authBytes) fault(faults, '/subscription/keys/auth', `Is not ${authBytes} bytes, as base64url.`);
  const vapid = vapidKey === null ? null : vapidKey === '' ? Buffer.alloc(0) : bytesOf(vapidKey);
  if (vapid === null || (vapid.length > 0 && !isPoint(vapid)))
    fault(faults, '/vapidKey', 'The public key is needed that the subscription was made with, as base64url.');
  if (faults.length > 0 || url === null || p256dh === null || !auth || vapid === null) return null;
  const [point, secret, key] = [p256dh, auth, vapid].map((bytes) => bytes.toString('base64url'));
  return {
    kind: 'subscription',
    endpoint: url.href,
    p256dh: point as string,
    auth: secret as string,
    vapidKey: key as string,
  };
}

/** Null: is no base64url, with or without padding. */
function bytesOf(text: string): Buffer | null {
  return /^[A-Za-z0-9_-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null;
}

/** On the curve: else nothing could be encrypted for it. */
function isPoint(bytes: Buffer): boolean {
  if (bytes.length !== pointBytes || bytes[0] !== 4) return false;
  const [x, y] = [bytes.subarray(1, 33).toString('base64url'), bytes.subarray(33).toString('base64url')];
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

function fault(faults: FieldError[], path: string, detail: string): null {
  faults.push({ path, detail });
  return null;
}

function invalid(fields: readonly FieldError[]): CarillonError {
  return new CarillonError('CARILLON_DEVICE_INVALID', 'This cannot be registered as a device.', { fields });
}
