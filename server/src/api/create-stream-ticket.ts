/** `POST /v1/stream/ticket`: a single-use ticket for clients that can set no header on their stream (V33). */
import { StreamTicket } from '@carillon/contract/stream.ts';
import type { StreamTickets } from '../deliver/realtime/stream-tickets.ts';
import { defineOperation, type Operation } from './operation.ts';

export function createStreamTicket(tickets: StreamTickets): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/stream/ticket',
    summary: 'A single-use ticket that opens one stream within 30 seconds',
    caller: 'user',
    answers: { 200: StreamTicket },
    errors: [],
    async handle({ principal }) {
      const { ticket, expiresAtMs } = await tickets.issue(principal);
      return { status: 200, body: { ticket, expiresAt: new Date(expiresAtMs).toISOString() } };
    },
  });
}
