/**
 * `POST /v1/users`: facts of many people, one a line or as a JSON array (A3). One that is bad fails no other; what is
 * answered as stored is.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { PeopleResults, Person } from '@carillon/contract/person-facts.ts';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { CarillonError } from '../base/carillon-error.ts';
import { fieldErrors } from '../base/field-errors.ts';
import { personKey } from '../base/ids.ts';
import { lazy } from '../base/lazy.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import { bodyForm, readBatch } from '../intake/read-batch.ts';
import type { PersonChange } from '../profile/profile-change.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { readFacts } from '../profile/read-facts.ts';
import { defineOperation, type Operation } from './operation.ts';

type Result = PeopleResults['results'][number];

const partId = lazy(() => Compile(Type.Object({ id: Person.properties.id })));

export function importPeople(profiles: ProfileStore): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/users',
    summary: 'Say what is known of many people: objects with an id, one a line or as an array',
    caller: 'producer',
    idempotent: true,
    rawBody: {
      contentTypes: ['application/x-ndjson', 'application/json'],
      bytesMax: limits.batchBytesMax,
      schemas: { 'application/x-ndjson': Type.String(), 'application/json': Type.Array(Person) },
    },
    answers: { 200: PeopleResults },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, headers, body }) {
      const changes: PersonChange[] = [];
      const results = partsOf(body as Buffer, headers).map((part): Result => {
        const read = readPart(part);
        if (read.status === 'rejected') return read;
        changes.push({ person: personKey(principal.tenant, read.id), change: { kind: 'facts', facts: read.facts } });
        return { id: read.id, status: 'stored' };
      });
      await profiles.change(changes);
      return { status: 200, body: { results } };
    },
  });
}

type ReadPart =
  | { readonly status: 'stored'; readonly id: string; readonly facts: ReturnType<typeof readFacts> }
  | (Result & { readonly status: 'rejected' });

function readPart(part: Buffer): ReadPart {
  let id: string | null = null;
  try {
    const value = readJson(part, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID');
    if (!partId().Check(value)) {
      const fields = fieldErrors(partId(), value);
      throw new CarillonError('CARILLON_PERSON_INVALID', 'It names no person.', { fields });
    }
    const { id: given, ...facts } = value;
    id = given;
    return { status: 'stored', id, facts: readFacts(facts) };
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error;
    const [field] = error.fields;
    const { code, message } = error;
    return { id, status: 'rejected', error: { code, path: field?.path ?? '', detail: field?.detail ?? message } };
  }
}

/** Throws CARILLON_REQUEST_TOO_LARGE, or CARILLON_REQUEST_MALFORMED where the parts cannot be told apart. */
function partsOf(body: Buffer, headers: IncomingHttpHeaders): Buffer[] {
  const { bytes, spans, count } = readBatch(bodyForm(headers), body, headers);
  return Array.from({ length: count }, (_, at) => bytes.subarray(spans[2 * at], spans[2 * at + 1]));
}
