/** The stream over plain HTTP (A2); WebSockets come by `attachStream`. */
import type { Gateway } from '../deliver/realtime/gateway.ts';
import type { StreamTickets } from '../deliver/realtime/stream-tickets.ts';
import { createStreamTicket } from './create-stream-ticket.ts';
import { openEventStream } from './open-event-stream.ts';
import type { Operation } from './operation.ts';
import { pollStream } from './poll-stream.ts';

export function streamOperations(gateway: Gateway, tickets: StreamTickets): Operation[] {
  return [createStreamTicket(tickets), openEventStream(gateway), pollStream(gateway)];
}
