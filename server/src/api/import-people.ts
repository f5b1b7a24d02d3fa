/** `POST /v1/users`: facts of many people, one a line (A3). One bad line fails no other; what is answered is stored. */
import { PeopleResults, Person } from '@carillon/contract/person-facts.ts';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { CarillonError } from '../base/carillon-error.ts';
import { fieldErrors } from '../base/field-errors.ts';
import { personKey } from '../base/ids.ts';
import { lazy } from '../base/lazy.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import type { PersonChange } from '../profile/profile-change.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { readFacts } from '../profile/read-facts.ts';
import { defineOperation, type Operation } from './operation.ts';

type Result = PeopleResults['results'][number];

const lineId = lazy(() => Compile(Type.Object({ id: Person.properties.id })));

export function importPeople(profiles: ProfileStore): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/users',
    summary: 'Say what is known of many people: one JSON object a line, each with an id',
    caller: 'producer',
    idempotent: true,
    rawBody: {
      contentTypes: ['application/x-ndjson'],
      bytesMax: limits.batchBytesMax,
      schemas: { 'application/x-ndjson': Type.String() },
    },
    answers: { 200: PeopleResults },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, body }) {
      const changes: PersonChange[] = [];
      const results = linesOf(body as Buffer).map((line): Result => {
        const read = readLine(line);
        if (read.status === 'rejected') return read;
        changes.push({ person: personKey(principal.tenant, read.id), change: { kind: 'facts', facts: read.facts } });
        return { id: read.id, status: 'stored' };
      });
      await profiles.change(changes);
      return { status: 200, body: { results } };
    },
  });
}

type ReadLine =
  | { readonly status: 'stored'; readonly id: string; readonly facts: ReturnType<typeof readFacts> }
  | (Result & { readonly status: 'rejected' });

function readLine(line: Buffer): ReadLine {
  let id: string | null = null;
  try {
    const value = readJson(line, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID');
    if (!lineId().Check(value)) {
      const fields = fieldErrors(lineId(), value);
      throw new CarillonError('CARILLON_PERSON_INVALID', 'The line names no person.', { fields });
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

/** Lines with something in them. Throws CARILLON_REQUEST_TOO_LARGE. */
function linesOf(body: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf(0x0a, start);
    const end = newline < 0 ? body.length : newline;
    const line = body.subarray(start, end);
    start = end + 1;
    if (line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) continue;
    if (lines.length === limits.importPeopleMax) {
      throw new CarillonError('CARILLON_REQUEST_TOO_LARGE', `An import may hold ${limits.importPeopleMax} people.`);
    }
    lines.push(line);
  }
  return lines;
}
