/** `GET /v1/schemas/{type}`: the JSON Schema of an event type, `post.liked` or `post.liked@2` (E8). */
import { Type } from 'typebox';
import { CarillonError } from '../base/carillon-error.ts';
import { type EventTypes, eventSchema } from './event-schema.ts';
import { defineOperation, type Operation } from './operation.ts';

export function getEventSchema(types: EventTypes): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/schemas/:type',
    summary: 'JSON Schema of an event type',
    caller: 'anyone',
    params: Type.Object({ type: Type.String() }),
    answers: { 200: Type.Object({ $schema: Type.String(), $id: Type.String() }) },
    answerType: 'application/schema+json',
    errors: ['CARILLON_SCHEMA_UNKNOWN'],
    handle({ params }) {
      const schema = eventSchema(types, params.type);
      if (schema === null)
        throw new CarillonError('CARILLON_SCHEMA_UNKNOWN', 'There is no such event type or version.');
      return Promise.resolve({ status: 200, headers: { 'content-type': 'application/schema+json' }, body: schema });
    },
  });
}
