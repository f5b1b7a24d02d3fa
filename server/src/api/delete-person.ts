/**
 * `DELETE /v1/users/{id}`: forgets a person's facts, preferences and mutes (A3, S7). Every answer is the same, whether
 * there was anything or not. It does not reach what was told already: inbox rows stay until retention removes them.
 */
import { PersonParams } from '@carillon/contract/person-facts.ts';
import { personKey } from '../base/ids.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { defineOperation, type Operation } from './operation.ts';

export function deletePerson(profiles: ProfileStore): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/v1/users/:id',
    summary: "Forget a person's facts, preferences and mutes; rows of the inbox stay until retention removes them",
    caller: 'producer',
    idempotent: true,
    params: PersonParams,
    answers: { 204: null },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, params }) {
      await profiles.change([{ person: personKey(principal.tenant, params.id), change: { kind: 'erase' } }]);
      return { status: 204 };
    },
  });
}
