/**
 * What a provider allows, as token buckets (V6). A minute's quota counts in any minute, wherever it begins: so the bucket
 * and what comes back in a minute make it up together. A project's rate grows after a rest, as FCM asks.
 */
import { limits } from '../../base/limits.ts';
import type { Device } from '../../profile/device.ts';
import type { Quota } from '../quotas.ts';
import type { TokenRate } from '../token-bucket.ts';
import type { PushProvider } from './push-provider.ts';

const minuteMs = 60_000;

/** A project's names its provider; a device's, the person whose it is. */
export function pushQuotas(
  { name, limits: { perMinute, perDevicePerMinute } }: Pick<PushProvider, 'name' | 'limits'>,
  project: string,
  { person, id }: Pick<Device, 'person' | 'id'>,
): readonly Quota[] {
  const { from, overMs } = limits.quotaRamp;
  const quotas: Quota[] = [];
  if (perMinute !== null) {
    const rate = withinMinute(perMinute, limits.quotaBurst.project);
    quotas.push({ name: `${name} ${project}`, rate: { ...rate, from, risePerMs: (1 - from) / overMs } });
  }
  if (perDevicePerMinute !== null) {
    const rate = withinMinute(perDevicePerMinute, limits.quotaBurst.device);
    quotas.push({ name: `device ${person} ${id}`, rate: { ...rate, from: 1, risePerMs: 0 } });
  }
  return quotas;
}

function withinMinute(most: number, burstShare: number): Pick<TokenRate, 'burst' | 'perMs'> {
  const burst = Math.max(1, Math.floor(most * burstShare));
  return { burst, perMs: Math.max(1, most - burst) / minuteMs };
}
