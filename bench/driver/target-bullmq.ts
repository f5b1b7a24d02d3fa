/** The peer of bench/peers/bullmq-socketio: JSON arrays in, Socket.IO messages (Engine.IO 4 over WebSocket) out. */
import { lapMark } from './plan.ts';
import type { Tally } from './tally.ts';
import { digitsAt, type Target } from './target.ts';

/** The peer's own measurements use as many; fewer, busier sockets are to its advantage. */
const socketsMax = 2000;
const idNeedle = Buffer.from('"id":"zq');

export const bullmqTarget: Target = {
  eventsPath: '/events',
  contentType: 'application/json',
  event: (event, recipient) =>
    JSON.stringify({
      id: `zqe${lapMark}-${event.seq}`,
      actor: event.actor,
      recipient,
      type: event.kind,
      ts: event.timeMs * 1000,
    }),
  body: (events) => `[${events.join(',')}]`,
  postHeaders: async () => ({}),
  tellsRepeats: true,
  usersPerSocket: (users) => Math.ceil(users / socketsMax),
  openings: async (_port, sets) =>
    sets.map((users) => ({
      path: '/socket.io/?EIO=4&transport=websocket',
      headers: {},
      first: `40${JSON.stringify({ users })}`,
    })),
  message: (payload, tally, reply) => {
    if (payload.length === 1 && payload[0] === 50)
      reply('3'); // Engine.IO ping → pong
    else countEvents(payload, tally);
  },
  // `40` confirms the namespace, after which the rooms are joined.
  isReady: (payload) => payload.length > 2 && payload[0] === 52 && payload[1] === 48,
  isAccepted: (status) => status === 202,
};

/** One message per notification here, so each id is one delivery. */
export function countEvents(payload: Buffer, tally: Tally): void {
  tally.frames++;
  tally.frameBytes += payload.length;
  for (let at = payload.indexOf(idNeedle); at >= 0; at = payload.indexOf(idNeedle, at + 8)) {
    tally.event(digitsAt(payload, at + 9), digitsAt(payload, at + 14));
  }
}
