/** Centrifugo: publications in batches over its HTTP API, one personal channel per recipient, no durability. */
import { createHmac } from 'node:crypto';
import { lapMark } from './plan.ts';
import type { Target } from './target.ts';
import { countEvents } from './target-bullmq.ts';

export const centrifugoSecrets = { token: 'bench-token-secret', apiKey: 'bench-api-key' } as const;
const socketsMax = 2000;
const connectNeedle = Buffer.from('"connect":');
const yearSeconds = 365 * 86_400;

export const centrifugoTarget: Target = {
  eventsPath: '/api/batch',
  contentType: 'application/json',
  event: (event, recipient) =>
    JSON.stringify({
      publish: {
        channel: `u${recipient}`,
        data: { id: `zqe${lapMark}-${event.seq}`, actor: event.actor, type: event.kind, ts: event.timeMs * 1000 },
      },
    }),
  body: (events) => `{"commands":[${events.join(',')}]}`,
  postHeaders: async () => ({ 'x-api-key': centrifugoSecrets.apiKey }),
  tellsRepeats: true,
  usersPerSocket: (users) => Math.ceil(users / socketsMax),
  openings: async (_port, sets) =>
    sets.map((users, i) => ({
      path: '/connection/websocket',
      headers: {},
      first: JSON.stringify({ id: 1, connect: { token: token(`s${i}`, users) } }),
    })),
  message: (payload, tally, reply) => {
    // A ping `{}` may share a frame with publications, one JSON text per line.
    if (payload.length === 2 || payload.includes('\n{}') || payload.includes('{}\n')) reply('{}');
    if (payload.length > 2) countEvents(payload, tally);
  },
  isReady: (payload) => payload.includes(connectNeedle),
  isAccepted: (status, body) => status === 200 && !body.includes('"error"'),
};

/** The socket is subscribed by the server to its recipients' channels, as the token says. */
function token(subject: string, users: readonly string[]): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const expiry = Math.floor((performance.timeOrigin + performance.now()) / 1000) + yearSeconds;
  const claims = { sub: subject, exp: expiry, channels: users.map((user) => `u${user}`) };
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', centrifugoSecrets.token).update(text).digest('base64url')}`;
}
