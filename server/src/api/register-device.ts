/**
 * `POST /v1/devices`: a device or browser can be pushed to, for the person who calls (A2, V11). Apps call it at each start:
 * it refreshes what is known. Whoever had the address before does not have it any more (BC-52).
 */
import { DeviceId, DeviceRequest } from '@carillon/contract/devices.ts';
import type { Revocations } from '../auth/revocations.ts';
import { sessionKey } from '../auth/session-key.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { readDevice } from '../profile/read-device.ts';
import { defineOperation, type Operation } from './operation.ts';
import { personOf } from './person-of.ts';

export interface DeviceParts {
  readonly devices: DeviceStore;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  /** The service's present public key for browsers, base64url; null if it has none. */
  readonly vapidKey: string | null;
}

export function registerDevice({ devices, revocations, vapidKey }: DeviceParts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/devices',
    summary: 'Register a device or browser for push, or refresh it',
    caller: 'user',
    idempotent: true,
    rawBody: {
      contentTypes: ['application/json'],
      bytesMax: limits.apiBodyBytesMax,
      schemas: { 'application/json': DeviceRequest },
    },
    answers: { 200: DeviceId },
    errors: ['CARILLON_DEVICE_INVALID', 'CARILLON_STORAGE_FULL'],
    async handle({ principal, body }) {
      const said = readDevice(readJson(body as Buffer, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID'), vapidKey);
      const person = personOf(principal);
      const { id } = await devices.register({ ...said, person, session: sessionKey(principal) });
      // A session that ended meanwhile may have been cleared up already (BC-70).
      if (revocations.isRevoked(principal)) {
        await devices.remove(person, id);
        throw new CarillonError('CARILLON_AUTH_INVALID', 'The token or key is not valid.');
      }
      return { status: 200, body: { id } };
    },
  });
}
