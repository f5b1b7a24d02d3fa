/**
 * `POST /v1/admin/devices/find`: whose device has this token, within the operator's tenant (A4, S7). A POST, so that the
 * token stands in no URL, where logs and histories would keep it.
 */
import { DeviceAddressRequest, DeviceFound } from '@carillon/contract/devices.ts';
import { splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { readDeviceAddress } from '../profile/read-device.ts';
import { deviceJson } from './device-json.ts';
import { defineOperation, type Operation } from './operation.ts';

export function findDevice(devices: DeviceStore): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/admin/devices/find',
    summary: 'Find a device by its token, installation id or subscription',
    caller: 'operator',
    rawBody: {
      contentTypes: ['application/json'],
      bytesMax: limits.apiBodyBytesMax,
      schemas: { 'application/json': DeviceAddressRequest },
    },
    answers: { 200: DeviceFound },
    errors: ['CARILLON_DEVICE_INVALID'],
    async handle({ principal, body }) {
      const asked = readJson(body as Buffer, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID');
      const { provider, address } = readDeviceAddress(asked);
      const device = await devices.find(principal.tenant, provider, address);
      if (device === null) return { status: 200, body: { user: null, device: null } };
      return { status: 200, body: { user: splitPersonKey(device.person).user, device: deviceJson(device) } };
    },
  });
}
