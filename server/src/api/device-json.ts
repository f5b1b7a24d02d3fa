/** A device as answers have it: never with what it is addressed by. */
import type { Device as DeviceJson } from '@carillon/contract/devices.ts';
import { isoTime } from '../base/iso-time.ts';
import type { Device } from '../profile/device.ts';

export function deviceJson(device: Device): DeviceJson {
  const { id, provider, app, appVersion, environment, locale, timeZone, registeredAtMs, seenAtMs } = device;
  const times = { registeredAt: isoTime(registeredAtMs), seenAt: isoTime(seenAtMs) };
  return { id, provider, app, appVersion, environment, locale, timeZone, ...times };
}
