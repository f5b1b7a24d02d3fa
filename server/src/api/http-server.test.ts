import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Principal } from '../auth/principal.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { defaultTenant, type UserId } from '../base/ids.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { checkLive } from './check-live.ts';
import { createHttpServer, type HttpAnswered, type HttpFailure, type HttpTimes } from './http-server.ts';
import { defineOperation } from './operation.ts';

const user: Principal = {
  kind: 'user',
  tenant: defaultTenant,
  user: 'u1' as UserId,
  session: null,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
};

const operations = [
  defineOperation({
    method: 'POST',
    path: '/things/:id',
    summary: 'Takes a thing',
    caller: 'user',
    params: Type.Object({ id: Type.String({ maxLength: 8 }) }),
    query: Type.Object({ limit: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
    body: Type.Object({ name: Type.String() }, { additionalProperties: false }),
    answers: { 200: Type.Object({}) },
    errors: [],
    async handle({ params, query, body, principal }) {
      return {
        status: 200,
        body: { id: params.id, limit: query.limit ?? null, name: body.name, user: principal.user },
      };
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/broken',
    summary: 'Fails',
    caller: 'anyone',
    answers: { 200: null },
    errors: [],
    handle: () => Promise.reject(new Error('secret detail')),
  }),
  checkLive(),
];

describe('the HTTP server', () => {
  let app: FastifyInstance;
  let origin = '';
  let draining = false;
  const failures: HttpFailure[] = [];
  const answers: HttpAnswered[] = [];

  /** `times`: of the real ones, those that a test must not wait for. */
  const create = (times: Partial<HttpTimes> = {}): FastifyInstance =>
    createHttpServer({
      operations,
      authenticator: {
        async authenticate(token) {
          if (token === 'good') return user;
          throw new CarillonError('CARILLON_AUTH_INVALID', 'The token or key is not valid.');
        },
      },
      clock: new VirtualClock(),
      random: seededRandom(1),
      idempotency: { run: (_request, work) => work() },
      draining: () => draining,
      onFailure: (failure) => failures.push(failure),
      onAnswer: (answered) => answers.push(answered),
      times,
    });

  before(async () => {
    app = create();
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  after(() => app.close());

  const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer good', 'content-type': 'application/json', ...headers },
    });

  async function problem(response: Response): Promise<Record<string, unknown>> {
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    const document = (await response.json()) as Record<string, unknown>;
    assert.equal(document.status, response.status);
    assert.equal(document.type, `urn:carillon:error:${document.code}`);
    assert.equal(document.requestId, response.headers.get('x-request-id'));
    return document;
  }

  test('checked input reaches the operation, with query numbers as numbers', async () => {
    const response = await post('/things/a?limit=7', '{"name":"n"}');
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { id: 'a', limit: 7, name: 'n', user: 'u1' });
  });

  const refusals: [string, () => Promise<Response>, number, string, string?][] = [
    ['no token', () => post('/things/a', '{}', { authorization: '' }), 401, 'CARILLON_AUTH_REQUIRED'],
    ['a bad token', () => post('/things/a', '{}', { authorization: 'Bearer x' }), 401, 'CARILLON_AUTH_INVALID'],
    [
      'a wrong media type',
      () => post('/things/a', '{}', { 'content-type': 'text/plain' }),
      415,
      'CARILLON_REQUEST_MEDIA_TYPE',
    ],
    ['malformed JSON', () => post('/things/a', '{"name":'), 400, 'CARILLON_REQUEST_MALFORMED'],
    ['no body', () => post('/things/a', ''), 400, 'CARILLON_REQUEST_MALFORMED'],
    [
      'bytes that are not UTF-8',
      () => post('/things/a', Buffer.from([0x22, 0xff, 0x22])),
      400,
      'CARILLON_REQUEST_MALFORMED',
    ],
    ['a missing field', () => post('/things/a', '{}'), 400, 'CARILLON_REQUEST_INVALID', '/name'],
    ['an unknown field', () => post('/things/a', '{"name":"n","x~/":1}'), 400, 'CARILLON_REQUEST_INVALID', '/x~0~1'],
    [
      'a prototype key',
      () => post('/things/a', '{"name":"n","__proto__":{}}'),
      400,
      'CARILLON_REQUEST_INVALID',
      '/__proto__',
    ],
    [
      'a key given twice',
      () => post('/things/a', '{"name":"n","na\\u006de":"m"}'),
      400,
      'CARILLON_REQUEST_INVALID',
      '',
    ],
    ['half a surrogate pair', () => post('/things/a', '{"name":"\\ud800"}'), 400, 'CARILLON_REQUEST_INVALID', '/name'],
    ['a NUL', () => post('/things/a', '{"name":"\\u0000"}'), 400, 'CARILLON_REQUEST_INVALID', '/name'],
    [
      'a number above 2^53',
      () => post('/things/a', '{"name":9007199254740993}'),
      400,
      'CARILLON_REQUEST_INVALID',
      '/name',
    ],
    ['deep nesting', () => post('/things/a', '['.repeat(30000)), 400, 'CARILLON_REQUEST_INVALID', ''],
    ['a body too large', () => post('/things/a', 'x'.repeat(70_000)), 413, 'CARILLON_REQUEST_TOO_LARGE'],
    ['a bad query', () => post('/things/a?limit=many', '{"name":"n"}'), 400, 'CARILLON_REQUEST_INVALID', 'query/limit'],
    ['an unknown query', () => post('/things/a?x=1', '{"name":"n"}'), 400, 'CARILLON_REQUEST_INVALID', 'query/x'],
    ['a bad parameter', () => post('/things/aaaaaaaaaa', '{"name":"n"}'), 400, 'CARILLON_REQUEST_INVALID', 'params/id'],
    ['a path that is none', () => post('/thing', '{}'), 404, 'CARILLON_ROUTE_UNKNOWN'],
    ['a URL that cannot be decoded', () => post('/things/%ff', '{}'), 400, 'CARILLON_REQUEST_MALFORMED'],
  ];
  for (const [what, send, status, code, path] of refusals) {
    test(`${what} is refused with ${status} ${code}`, async () => {
      const response = await send();
      const document = await problem(response);
      assert.equal(document.code, code);
      assert.equal(response.status, status);
      if (path !== undefined) assert.equal((document.errors as { path: string }[])[0]?.path, path);
    });
  }

  test('a known path with another method answers 405 and Allow', async () => {
    const response = await fetch(`${origin}/broken`, { method: 'DELETE' });
    assert.equal((await problem(response)).code, 'CARILLON_METHOD_NOT_ALLOWED');
    assert.equal(response.headers.get('allow'), 'GET, HEAD');
  });

  test('a failure of ours says nothing of itself, and is reported', async () => {
    const response = await fetch(`${origin}/broken`);
    const text = JSON.stringify(await problem(response));
    assert.equal(response.status, 500);
    assert.doesNotMatch(text, /secret/);
    assert.equal(failures.at(-1)?.route, 'GET /broken');
    assert.equal(String(failures.at(-1)?.error.cause), 'Error: secret detail');
  });

  test('every answer is reported by its pattern, with the problem if it was one', async () => {
    answers.length = 0;
    await (await post('/things/secret?limit=1', '{"name":"n"}')).arrayBuffer();
    await (await post('/things/secret', '{')).arrayBuffer();
    while (answers.length < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      answers.map(({ route, status, problem }) => [route, status, problem]),
      [
        ['POST /things/:id', 200, null],
        ['POST /things/:id', 400, 'CARILLON_REQUEST_MALFORMED'],
      ],
    );
  });

  test('while the service stops, requests are refused with Retry-After', async () => {
    draining = true;
    const response = await fetch(`${origin}/broken`);
    draining = false;
    assert.equal((await problem(response)).code, 'CARILLON_DRAINING');
    assert.equal(response.headers.get('retry-after'), '1');
  });

  test('while the service stops it is still alive: a probe must not have it killed', async () => {
    draining = true;
    const response = await fetch(`${origin}/livez`);
    draining = false;
    assert.equal(response.status, 200);
  });

  /** What a server says to these bytes until it closes the connection. */
  async function raw(bytes: string, to = origin): Promise<string> {
    const socket = connect(Number(new URL(to).port), '127.0.0.1');
    socket.write(bytes);
    let said = '';
    socket.on('data', (data) => {
      said += data;
    });
    await once(socket, 'close');
    return said;
  }

  test('a client that never finishes its body, or its headers, gets 408 and is cut off', async () => {
    const impatient = create({ requestArrivalMs: 150, checkMs: 20 });
    const to = await impatient.listen({ host: '127.0.0.1', port: 0 });
    const said = await raw(
      'POST /things/a HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
      to,
    );
    assert.match(said, /^HTTP\/1\.1 408 .*"code":"CARILLON_REQUEST_TIMEOUT"/s);
    assert.match(await raw('GET /broken HTTP/1.1\r\nhost: x\r\n', to), /CARILLON_REQUEST_TIMEOUT/);
    await impatient.close();
  });

  test('bytes that are no HTTP, and headers too large, get a problem', async () => {
    assert.match(await raw('hello\r\n\r\n'), /^HTTP\/1\.1 400 .*"code":"CARILLON_REQUEST_MALFORMED"/s);
    assert.match(await raw(`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`), /headers are too large/);
  });

  test('after an offer to upgrade that is not taken up the connection ends, so that no next request is lost', async () => {
    const said = await raw('GET /broken HTTP/1.1\r\nhost: x\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n');
    assert.match(said, /^HTTP\/1\.1 500 /);
    assert.match(said, /connection: close/i);
  });

  test('a client that hangs up in its body disturbs nobody', async () => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    const head =
      'POST /things/a HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\n';
    socket.write(`${head}content-length: 9\r\n\r\n{`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    assert.equal((await post('/things/a', '{"name":"n"}')).status, 200);
  });
});
