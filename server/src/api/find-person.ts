/** `POST /v1/admin/users/find`: who has an email address, within the operator's tenant (A4, S7). A POST, so that the
 * address stands in no URL. */
import { PeopleFound, PersonSearch } from '@carillon/contract/person-facts.ts';
import { splitPersonKey } from '../base/ids.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { defineOperation, type Operation } from './operation.ts';

export function findPerson(profiles: ProfileStore): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/admin/users/find',
    summary: 'Find people by their email address',
    caller: 'operator',
    body: PersonSearch,
    answers: { 200: PeopleFound },
    errors: [],
    async handle({ principal, body }) {
      const people = await profiles.findByEmail(principal.tenant, body.email);
      return { status: 200, body: { users: people.map((person) => splitPersonKey(person).user) } };
    },
  });
}
