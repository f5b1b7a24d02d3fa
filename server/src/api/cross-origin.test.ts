import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { CarillonError } from '../base/carillon-error.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { createHttpServer } from './http-server.ts';
import { defineOperation } from './operation.ts';

const app = 'https://app.example';
const stranger = 'https://app.example.evil.test';

const operations = [
  defineOperation({
    method: 'GET',
    path: '/things',
    summary: 'Lists things',
    caller: 'user',
    answers: { 200: Type.Object({}) },
    errors: [],
    handle: async () => ({ status: 200, body: {} }),
  }),
];

async function start(allowedOrigins: readonly string[]): Promise<{ server: FastifyInstance; url: string }> {
  const server = createHttpServer({
    operations,
    authenticator: {
      async authenticate() {
        throw new CarillonError('CARILLON_AUTH_INVALID', 'The token or key is not valid.');
      },
    },
    clock: new VirtualClock(),
    random: seededRandom(1),
    idempotency: { run: (_request, work) => work() },
    allowedOrigins,
  });
  return { server, url: `${await server.listen({ host: '127.0.0.1', port: 0 })}/things` };
}

describe('pages of other origins', () => {
  let server: FastifyInstance;
  let url: string;
  before(async () => {
    ({ server, url } = await start(['https://other.example', app]));
  });
  after(() => server.close());

  const preflight = (origin: string): Promise<Response> =>
    fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } });

  test('an allowed origin may ask first, without a token', async () => {
    const { status, headers } = await preflight(app);
    assert.equal(status, 204);
    assert.equal(headers.get('access-control-allow-origin'), app);
    assert.match(headers.get('access-control-allow-methods') ?? '', /\bGET\b.*\bPOST\b/);
    assert.match(headers.get('access-control-allow-headers') ?? '', /\bauthorization\b/);
    assert.equal(headers.get('access-control-max-age'), '600');
    assert.equal(headers.get('access-control-allow-credentials'), null, 'cookies play no part');
  });

  test('it may read answers, errors among them', async () => {
    const { status, headers } = await fetch(url, { headers: { origin: app, authorization: 'Bearer wrong' } });
    assert.equal(status, 401);
    assert.equal(headers.get('access-control-allow-origin'), app);
    assert.match(headers.get('access-control-expose-headers') ?? '', /\bretry-after\b/);
    assert.equal(headers.get('vary'), 'origin');
  });

  test('no other origin may do either, and caches keep the two apart', async () => {
    for (const answer of [await preflight(stranger), await fetch(url, { headers: { origin: stranger } })]) {
      assert.ok(answer.status === 405 || answer.status === 401);
      assert.equal(answer.headers.get('access-control-allow-origin'), null);
      assert.equal(answer.headers.get('vary'), 'origin');
    }
  });

  test('without configured origins nothing is said of them', async () => {
    const none = await start([]);
    const { headers } = await fetch(none.url, { headers: { origin: app } });
    assert.equal(headers.get('access-control-allow-origin'), null);
    assert.equal(headers.get('vary'), null);
    await none.server.close();
  });
});
