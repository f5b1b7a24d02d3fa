import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { dayMs } from '../base/iso-time.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { type PushProviderName, pushProviders } from './device.ts';
import { DeviceStoreMemory } from './device-store-memory.ts';
import { ProfileStoreMemory } from './profile-store-memory.ts';
import { pruneDevices } from './prune-devices.ts';

test('each provider’s devices go after their own time, and those seen since stay', async () => {
  const clock = new VirtualClock();
  const devices = new DeviceStoreMemory(new ProfileStoreMemory(clock), clock);
  const person = personKey('t', 'ana');
  const register = (provider: PushProviderName) => {
    const said = { provider, address: { kind: 'token', value: 'k' }, app: 'a', appVersion: null } as const;
    return devices.register({
      ...said,
      person,
      environment: 'production',
      locale: null,
      timeZone: null,
      session: null,
    });
  };
  for (const provider of pushProviders) await register(provider);
  const idleDays = { apns: 3, fcm: 2, webpush: 2, expo: 2 };
  clock.advance(2 * dayMs);
  assert.equal(await pruneDevices(devices, idleDays, clock.now()), 0);
  await register('webpush');
  clock.advance(1);
  assert.equal(await pruneDevices(devices, idleDays, clock.now()), 2);
  assert.deepEqual(
    (await devices.list(person)).map(({ provider }) => provider),
    ['webpush', 'apns'],
  );
});
