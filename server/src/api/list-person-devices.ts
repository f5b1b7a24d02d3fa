/** `GET /v1/admin/users/{id}/devices`: what somebody is pushed on, for those who look into it (A4); never their tokens. */
import { Devices } from '@carillon/contract/devices.ts';
import { PersonParams } from '@carillon/contract/person-facts.ts';
import { personKey } from '../base/ids.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { deviceJson } from './device-json.ts';
import { defineOperation, type Operation } from './operation.ts';

export function listPersonDevices(devices: DeviceStore): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/users/:id/devices',
    summary: "A person's devices, without their tokens",
    caller: 'operator',
    params: PersonParams,
    answers: { 200: Devices },
    errors: [],
    async handle({ principal, params }) {
      const found = await devices.list(personKey(principal.tenant, params.id));
      return { status: 200, body: { items: found.map(deviceJson) } };
    },
  });
}
