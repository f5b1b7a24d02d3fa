/** `DELETE /v1/devices/{id}`: is not pushed to any more, on logout for one (A2, V11). An id that is not the person's own is
 * none: every answer is the same. */
import { DeviceParams } from '@carillon/contract/devices.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';

export function removeDevice(devices: DeviceStore): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/v1/devices/:id',
    summary: 'Remove a device: it is not pushed to any more',
    caller: 'user',
    idempotent: true,
    params: DeviceParams,
    answers: { 204: null },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, params }) {
      await devices.remove(personOf(principal), params.id);
      return { status: 204 };
    },
  });
}
