/** `PUT /v1/users/{id}`: what the app says of a person, all of it at once (A3). */
import { Person, PersonFacts, PersonParams } from '@carillon/contract/person-facts.ts';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { readFacts, toPersonFacts } from '../profile/read-facts.ts';
import { defineOperation, type Operation } from './operation.ts';

export function putPerson(profiles: ProfileStore): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/v1/users/:id',
    summary: 'Say what is known of a person; what is absent is taken as not known',
    caller: 'producer',
    idempotent: true,
    params: PersonParams,
    rawBody: {
      contentTypes: ['application/json'],
      bytesMax: limits.apiBodyBytesMax,
      schemas: { 'application/json': PersonFacts },
    },
    answers: { 200: Person },
    errors: ['CARILLON_PERSON_INVALID', 'CARILLON_STORAGE_FULL'],
    async handle({ principal, params, body }) {
      const facts = readFacts(readJson(body as Buffer, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID'));
      const person = personKey(principal.tenant, params.id);
      await profiles.change([{ person, change: { kind: 'facts', facts } }]);
      return { status: 200, body: { id: params.id, ...toPersonFacts(facts) } };
    },
  });
}
