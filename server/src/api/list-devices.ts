/** `GET /v1/devices`: what the person is pushed on, without tokens (A2, V11). */
import { Devices } from '@carillon/contract/devices.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { deviceJson } from './device-json.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';

export function listDevices(devices: DeviceStore): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/devices',
    summary: 'The devices that the person is pushed on',
    caller: 'user',
    answers: { 200: Devices },
    errors: [],
    async handle({ principal }) {
      const found = await devices.list(personOf(principal));
      return { status: 200, body: { items: found.map(deviceJson) } };
    },
  });
}
