/** `POST /v1/events`: one event or many, durable before it answers (E2). */
import { EventResults } from '@carillon/contract/event.ts';
import { eventBodies } from '@carillon/contract/event-bodies.ts';
import { limits } from '../base/limits.ts';
import type { Intake } from '../intake/intake.ts';
import { defineOperation, type Operation } from './operation.ts';

export function postEvents(intake: Intake): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/events',
    summary: 'Send events: one, a JSON array, NDJSON, or CloudEvents',
    caller: 'producer',
    rawBody: { contentTypes: [], bytesMax: limits.batchBytesMax, schemas: eventBodies },
    answers: { 202: EventResults },
    errors: [
      'CARILLON_EVENT_INVALID',
      'CARILLON_EVENT_TYPE_UNKNOWN',
      'CARILLON_EVENT_SOURCE_FOREIGN',
      'CARILLON_EVENT_TIME_AHEAD',
      'CARILLON_EVENT_MENTIONS_TOO_MANY',
      'CARILLON_AUDIENCE_UNKNOWN',
      'CARILLON_RATE_LIMITED',
      'CARILLON_OVERLOADED',
      'CARILLON_STORAGE_FULL',
      'CARILLON_LOG_UNAVAILABLE',
    ],
    idempotent: true,
    admit: ({ principal, headers }) => intake.admit(principal, headers),
    async handle({ principal, headers, body }) {
      return { status: 202, body: await intake.accept(principal, body as Buffer, headers) };
    },
  });
}
