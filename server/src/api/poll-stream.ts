/** `GET /v1/stream/poll`: the stream for clients that can hold none. One frame per answer; see poll-transport.ts (V30). */
import { PollAnswer, PollQuery } from '@carillon/contract/stream.ts';
import { limits } from '../base/limits.ts';
import type { Gateway } from '../deliver/realtime/gateway.ts';
import { defineOperation, type Operation } from './operation.ts';
import { streamParameters } from './stream-parameters.ts';

export function pollStream(gateway: Gateway): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/stream/poll',
    summary: 'The next frame of the live stream, or an empty one when the wait is over',
    caller: 'anyone',
    query: PollQuery,
    answers: { 200: PollAnswer },
    errors: ['CARILLON_AUTH_REQUIRED', 'CARILLON_AUTH_INVALID', 'CARILLON_AUTH_FORBIDDEN', 'CARILLON_OVERLOADED'],
    async handle({ headers, query, onGone }) {
      const { waitMs = limits.pollWaitMsMax, ...others } = query;
      const poll = { query: streamParameters(others), waitMs, onGone };
      return { status: 200, body: await gateway.poll(headers, poll) };
    },
  });
}
