/**
 * `DELETE /v1/users/{id}`: forgets a person's facts, preferences, mutes and devices (A3, S7) [BC-71]. Every answer is the
 * same, whether there was anything or not. It does not reach what was told already: inbox rows stay until retention removes them.
 */
import { PersonParams } from '@carillon/contract/person-facts.ts';
import { personKey } from '../base/ids.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { defineOperation, type Operation } from './operation.ts';

export function deletePerson(devices: DeviceStore): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/v1/users/:id',
    summary:
      "Forget a person's facts, preferences, mutes and devices; rows of the inbox stay until retention removes them",
    caller: 'producer',
    idempotent: true,
    params: PersonParams,
    answers: { 204: null },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, params }) {
      await devices.erase(personKey(principal.tenant, params.id));
      return { status: 204 };
    },
  });
}
