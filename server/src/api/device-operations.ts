/** What people are pushed on (A2, V11): one line per operation. */
import { findDevice } from './find-device.ts';
import { getVapidKey } from './get-vapid-key.ts';
import { listDevices } from './list-devices.ts';
import { listPersonDevices } from './list-person-devices.ts';
import type { Operation } from './operation.ts';
import { type DeviceParts, registerDevice } from './register-device.ts';
import { removeDevice } from './remove-device.ts';

export function deviceOperations(parts: DeviceParts): Operation[] {
  const { devices } = parts;
  return [
    listDevices(devices),
    registerDevice(parts),
    removeDevice(devices),
    listPersonDevices(devices),
    findDevice(devices),
    getVapidKey(parts.vapidKey),
  ];
}
