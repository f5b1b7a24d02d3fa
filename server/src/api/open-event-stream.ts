/**
 * `GET /v1/stream` without upgrade: the stream as Server-Sent Events (V30). It authenticates by itself, because browsers
 * can send no header with an EventSource: a ticket will do.
 */
import { StreamQuery } from '@carillon/contract/stream.ts';
import { Type } from 'typebox';
import { CarillonError } from '../base/carillon-error.ts';
import type { Gateway } from '../deliver/realtime/gateway.ts';
import { sseHeaders } from '../deliver/realtime/sse-transport.ts';
import { defineOperation, type Operation } from './operation.ts';
import { streamParameters } from './stream-parameters.ts';

export function openEventStream(gateway: Gateway): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/stream',
    summary: 'The live stream as Server-Sent Events; as a WebSocket when upgraded',
    caller: 'anyone',
    query: StreamQuery,
    answers: { 200: Type.String() },
    answerType: 'text/event-stream',
    errors: ['CARILLON_AUTH_REQUIRED', 'CARILLON_AUTH_INVALID', 'CARILLON_AUTH_FORBIDDEN'],
    async handle({ headers, query }) {
      if (!headers.accept?.includes('text/event-stream')) {
        throw new CarillonError('CARILLON_REQUEST_INVALID', 'A stream is either upgraded or asked for as events.', {
          fields: [{ path: 'header/accept', detail: 'Must be text/event-stream.' }],
        });
      }
      const body = await gateway.openEvents(headers, streamParameters(query));
      return { status: 200, headers: sseHeaders, body };
    },
  });
}
