/** Messages, devices and keys for tests of push providers. */
import { generateKeyPairSync } from 'node:crypto';
import { personKey } from '../../base/ids.ts';
import type { PushText } from '../../content/render-push.ts';
import type { Device, DeviceAddress } from '../../profile/device.ts';
import type { PushAlert, PushBadge, PushRetraction } from './push-provider.ts';

export const nowMs = Date.UTC(2026, 2, 10, 12);

export const text: PushText = {
  title: 'Replies',
  body: 'Ana replied: “yes”',
  locale: 'en',
  direction: 'ltr',
  url: '/p/p1#c1',
  image: 'https://app.example/i.png',
  actions: [{ id: 'reply', label: 'Reply', url: '/p/p1/reply' }],
};

export function alertOf(change: Partial<PushAlert> = {}): PushAlert {
  return {
    kind: 'alert',
    delivery: 'v_1',
    notification: 'n_1',
    type: 'reply.created',
    category: 'comments',
    text,
    collapseId: 'g1a2b3',
    threadId: 'post:p1',
    urgency: 'high',
    badge: 3,
    expiresAtMs: nowMs + 3_600_000,
    ...change,
  };
}

export const badge: PushBadge = {
  kind: 'badge',
  delivery: 'v_2',
  badge: 2,
  cleared: ['g1', 'g2'],
  expiresAtMs: nowMs + 60_000,
};

export const retraction: PushRetraction = {
  kind: 'retract',
  delivery: 'v_3',
  notification: 'n_1',
  collapseId: 'g1a2b3',
  badge: 2,
  expiresAtMs: nowMs + 60_000,
};

export function deviceOf(provider: Device['provider'], address: DeviceAddress, change: Partial<Device> = {}): Device {
  return {
    id: 'd_1',
    person: personKey('default', 'r1'),
    provider,
    address,
    app: 'com.example.app',
    appVersion: null,
    environment: 'production',
    locale: null,
    timeZone: null,
    registeredAtMs: Date.UTC(2026, 2, 10, 11),
    seenAtMs: nowMs,
    ...change,
  };
}

export const tokenDevice = (provider: Device['provider'], value: string, change: Partial<Device> = {}): Device =>
  deviceOf(provider, { kind: 'token', value }, change);

export const apnsKeys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
export const googleKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
