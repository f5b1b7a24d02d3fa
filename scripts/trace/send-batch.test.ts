import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { seededRandom } from '../../server/src/base/random.ts';
import { addCounts, noCounts, type SendPorts, sendBatch } from './send-batch.ts';

type Step = (response: ServerResponse, request: IncomingMessage) => void;

/** What the server does with one request after the other. */
let script: Step[] = [];
let bodies: string[] = [];
let waits: number[] = [];
let renewals: boolean[] = [];
let server: Server;
let ports: SendPorts;

const events = [{ id: 'e-1' }, { id: 'e-2' }];

before(async () => {
  server = createServer(async (request, response) => {
    bodies.push(await text(request));
    script.shift()?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ports = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fetch,
    token: async (renew) => {
      renewals.push(renew);
      return renew ? 'fresh' : 'old';
    },
    wait: async (delayMs) => void waits.push(delayMs),
    random: seededRandom(1),
  };
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  script = [];
  bodies = [];
  waits = [];
  renewals = [];
});

function answer(status: number, body: object, headers: Record<string, string> = {}): Step {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body));
}

const taken = answer(202, {
  results: [
    { id: 'e-1', status: 'accepted' },
    { id: 'e-2', status: 'duplicate' },
  ],
});

test('a batch is sent as lines and its results are counted', async () => {
  script = [taken];
  assert.deepEqual(await sendBatch(events, ports), { ...noCounts, accepted: 1, duplicate: 1 });
  assert.deepEqual(bodies, ['{"id":"e-1"}\n{"id":"e-2"}\n']);
});

test('what asks for patience is repeated with the same bytes, after the time it names', async () => {
  script = [answer(503, {}, { 'retry-after': '7' }), answer(429, {}, { 'retry-after': '2' }), taken];
  assert.equal((await sendBatch(events, ports)).retries, 2);
  assert.deepEqual(waits, [7000, 2000]);
  assert.equal(new Set(bodies).size, 1);
  assert.equal(bodies.length, 3);
});

test('a connection that breaks is repeated after a jittered pause', async () => {
  script = [(response) => response.destroy(), (response) => response.destroy(), taken];
  assert.equal((await sendBatch(events, ports)).accepted, 1);
  assert.equal(waits.length, 2);
  assert.ok(
    waits.every((wait, at) => wait >= 1 && wait <= 100 * 2 ** at),
    String(waits),
  );
});

test('a refused token is renewed once, without a pause', async () => {
  script = [
    answer(401, { code: 'CARILLON_AUTH_INVALID' }),
    (response, request) => {
      assert.equal(request.headers.authorization, 'Bearer fresh');
      taken(response, request);
    },
  ];
  await sendBatch(events, ports);
  assert.deepEqual(renewals, [false, true]);
  assert.deepEqual(waits, []);

  script = [answer(401, { code: 'CARILLON_AUTH_INVALID' }), answer(401, { code: 'CARILLON_AUTH_INVALID' }), taken];
  await assert.rejects(sendBatch(events, ports), /401 CARILLON_AUTH_INVALID/);
});

test('what waiting does not mend ends the sending with its reason', async () => {
  script = [answer(403, { code: 'CARILLON_EVENT_SOURCE_FOREIGN', detail: 'not yours' }), taken];
  await assert.rejects(sendBatch(events, ports), /403 CARILLON_EVENT_SOURCE_FOREIGN not yours/);
  assert.equal(script.length, 1);
});

test('patience ends', async () => {
  script = Array.from({ length: 50 }, () => answer(503, { code: 'CARILLON_OVERLOADED' }));
  await assert.rejects(sendBatch(events, ports), /503 CARILLON_OVERLOADED/);
  assert.equal(bodies.length, 12);
});

test('the first rejection is kept in words', async () => {
  const error = { code: 'CARILLON_EVENT_INVALID', detail: 'must be a string' };
  script = [answer(202, { results: [{ id: 'e-1', status: 'rejected', error }] })];
  const counts = addCounts(noCounts, await sendBatch(events, ports));
  assert.equal(counts.rejected, 1);
  assert.equal(counts.firstRejection, 'e-1: must be a string (CARILLON_EVENT_INVALID)');
  assert.equal(addCounts(counts, { ...noCounts, firstRejection: 'other' }).firstRejection, counts.firstRejection);
});
