import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../../base/ids.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { builtInContent } from '../../content/live-content.ts';
import { DeviceStoreMemory } from '../../profile/device-store-memory.ts';
import { ProfileStoreMemory } from '../../profile/profile-store-memory.ts';
import type { Outcome } from '../outcome.ts';
import { PushOutlet } from './push-outlet.ts';

const person = personKey('t', 'r1');
const gone = (asOfMs: number | null): Outcome => ({ kind: 'gone', code: 'Unregistered', asOfMs });

async function scene() {
  const clock = new VirtualClock(Date.UTC(2026, 2, 1));
  const devices = new DeviceStoreMemory(new ProfileStoreMemory(clock), clock);
  const outlet = new PushOutlet({ devices, providers: new Map(), content: builtInContent, clock });
  const register = () =>
    devices.register({
      ...{ person, provider: 'apns', address: { kind: 'token', value: 'ab'.repeat(32) }, app: 'a', appVersion: null },
      ...{ environment: 'production', locale: null, timeZone: null, session: null },
    } as Parameters<typeof devices.register>[0]);
  const left = async () => (await devices.list(person)).length;
  return { clock, outlet, register, left };
}

test('BC-46: Apple’s time of death decides, against the last registration', async () => {
  const { clock, outlet, register, left } = await scene();
  await register();
  clock.advance(Date.UTC(2026, 2, 10, 11) - clock.now());
  const device = await register();
  await outlet.ended(device, gone(1773140399000));
  assert.equal(await left(), 1, 'dead at 10:59:59, registered again at 11:00:00');
  await outlet.ended(device, gone(Math.floor(1773142200000 / 1000)));
  assert.equal(await left(), 1, 'seconds taken for milliseconds lie long ago');
  await outlet.ended(device, gone(1773142200000));
  assert.equal(await left(), 0, 'dead at 11:30:00');
});

test('BC-46: without a time only the registration that was sent to is gone', async () => {
  const { clock, outlet, register, left } = await scene();
  const sentTo = await register();
  clock.advance(1);
  const again = await register();
  await outlet.ended(sentTo, gone(null));
  assert.equal(await left(), 1, 'registered again while the push was under way');
  await outlet.ended(again, { kind: 'refused', code: 'PayloadTooLarge' });
  await outlet.ended(again, { kind: 'retry', code: 'timeout', afterMs: null });
  assert.equal(await left(), 1);
  await outlet.ended(again, gone(null));
  assert.equal(await left(), 0);
});
