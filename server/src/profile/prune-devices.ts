/** Removes devices that no app has been seen on for so long that nobody is there any more (V11); answers how many. */
import { dayMs } from '../base/iso-time.ts';
import { type PushProviderName, pushProviders } from './device.ts';
import type { DeviceStore } from './device-store.ts';

export type DeviceIdleDays = Readonly<Record<PushProviderName, number>>;

export async function pruneDevices(devices: DeviceStore, idleDays: DeviceIdleDays, nowMs: number): Promise<number> {
  let removed = 0;
  for (const provider of pushProviders) {
    for (let some = -1; some !== 0; removed += some)
      some = await devices.removeIdle(provider, nowMs - idleDays[provider] * dayMs);
  }
  return removed;
}
