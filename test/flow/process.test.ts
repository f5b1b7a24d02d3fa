/** The service as a process: killed in mid-request, stopped under load, started twice on one folder. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../server/src/base/clock.ts';
import { limits } from '../../server/src/base/limits.ts';
import { systemRandom } from '../../server/src/base/random.ts';
import { event, like } from './events.ts';
import { eventually } from './eventually.ts';
import { producerKey } from './flow-config.ts';
import { rows } from './person.ts';
import { ServerProcess, StartFailed } from './server-process.ts';
import { embeddedOnly, resultsOf, World } from './world.ts';

describe('the service as a process', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start({ where: 'process' });
  });
  afterEach(() => world.close());

  test('BC-01: retries that overtake, differ, or come after a crash', async () => {
    const r1 = await world.person('r1');
    const one = like('a1', 'p1', 'r1');
    const k1 = { 'idempotency-key': '"k1"' };
    const answers = await Promise.all([world.post(one, 't1', k1), world.post(one, 't1', k1)]);
    const final = await Promise.all(
      answers.map((answer) => (answer.status === 409 ? world.post(one, 't1', k1) : answer)),
    );
    assert.deepEqual(
      final.map((answer) => resultsOf(answer)[0]),
      [1, 2].map(() => ({ id: one.id, status: 'accepted' })),
    );
    assert.equal((await world.post(like('a2', 'p1', 'r1'), 't1', k1)).status, 422);
    await world.settled();
    assert.deepEqual(rows(await r1.inbox()), ['post.liked post:p1 a1']);

    // (c) Killed before the body is there, right behind its last byte, and a moment later.
    for (const [round, moment] of (['half', 'whole', 'later'] as const).entries()) {
      const two = like(`b${round}`, 'p2', 'r1', { at: round });
      const key = { 'idempotency-key': `"k2-${round}"` };
      const request = await begin(world.origin, two, key);
      if (moment !== 'half') await request.end();
      if (moment === 'later') await new Promise((resolve) => setImmediate(resolve));
      await world.crash();
      request.socket.destroy();
      const [result] = resultsOf(await world.post(two, 't1', key));
      assert.equal(result?.id, two.id);
      assert.notEqual(result?.status, 'rejected');
      await world.settled();
      assert.equal((await r1.inbox()).find(({ object }) => object.id === 'p2')?.actorCount, round + 1);
    }
  });

  test(
    'BC-39: a second process on the same data ends at once and says why; the first goes on',
    embeddedOnly,
    async () => {
      const writing = Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          world.send(Array.from({ length: 100 }, (__, m) => like(`a${n}`, `p${m}`, `w${n}`))),
        ),
      );
      await assert.rejects(ServerProcess.start(world.config), (error) => {
        assert.ok(error instanceof StartFailed);
        assert.equal(error.code, 1);
        assert.match(error.stderr, /in use by process \d+\. Stop it first, or start with another folder\./);
        return true;
      });
      await writing;
      await world.settled();
      for (let n = 0; n < 10; n++) assert.equal((await (await world.person(`w${n}`)).inbox()).length, 100);
      await world.crash();
      assert.equal((await (await world.person('w3')).inbox()).length, 100, 'a lock left by a crash keeps nobody out');
    },
  );

  test('BC-39: pages read while the inbox is written hold together', async () => {
    const r1 = await world.person('r1');
    await world.happen(...Array.from({ length: 200 }, (_, n) => like('a1', `old${n}`, 'r1', { at: n })));
    let writing = true;
    const writer = (async () => {
      for (let n = 0; n < 20; n++) {
        await world.send(Array.from({ length: 50 }, (_, m) => like('a2', `new${n}-${m}`, 'r1', { at: 1000 + n })));
      }
    })().finally(() => {
      writing = false;
    });
    do {
      const inbox = await r1.inbox('limit=50');
      const old = inbox.filter(({ object }) => object.id.startsWith('old')).map(({ object }) => object.id);
      assert.deepEqual(
        old,
        Array.from({ length: 200 }, (_, n) => `old${199 - n}`),
      );
    } while (writing);
    await writer;
    await world.settled();
    assert.equal((await r1.inbox()).length, 1200);
  });

  test('BC-79: a stop right behind 25 acknowledgements, with a socket that never answers, ends well and loses nothing', async () => {
    const r1 = await world.person('r1');
    const stubborn = await silentSocket(world.origin, r1.token);
    const events = Array.from({ length: 25 }, (_, n) =>
      event('message.sent', { actor: { id: 'a1' }, object: { kind: 'message', id: `m${n}` }, to: { user: 'r1' } }),
    );
    await Promise.all(events.map((each) => world.send([each])));
    const exit = await world.pause();
    assert.equal(exit.code, 0);
    assert.ok(exit.tookMs < limits.stopMs, `${exit.tookMs} ms`);
    assert.ok(stubborn.text().includes('"code":4000'), 'it was told to go');
    await eventually(() => stubborn.closed());
    await world.resume();
    await world.settled();
    assert.equal((await r1.inbox()).length, 25);
    assert.equal(await r1.unread(), 25);
  });

  test('a crash under load loses nothing that was acknowledged, and doubles nothing', async () => {
    let acknowledged = 0;
    const send = async (n: number): Promise<void> => {
      for (;;) {
        const batch = Array.from({ length: 20 }, (_, m) => like(`a${n}`, `p${m}`, 'r1', { id: `${n}-${m}` }));
        try {
          const results = resultsOf(await world.post(batch));
          assert.ok(results.every(({ status }) => status !== 'rejected'));
          acknowledged++;
          return;
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          await new Promise((resolve) => systemClock.after(5, () => resolve(null)));
        }
      }
    };
    const sending = (async () => {
      for (let n = 0; n < 60; n++) await send(n);
    })();
    for (const crashAt of [10, 25]) {
      await eventually(() => acknowledged >= crashAt + systemRandom.below(5));
      await world.crash();
    }
    await sending;
    await world.settled();
    const inbox = await (await world.person('r1')).inbox();
    assert.equal(inbox.length, 20);
    assert.ok(inbox.every(({ actorCount }) => actorCount === 60));
  });
});

/** A request whose body is sent up to its last byte. `end` sends that and resolves when it is on its way. */
async function begin(
  origin: string,
  body: object,
  headers: Record<string, string>,
): Promise<{ socket: Socket; end(): Promise<void> }> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {});
  const text = JSON.stringify(body);
  const lines = [
    'POST /v1/events HTTP/1.1',
    `host: ${hostname}`,
    `authorization: Bearer ${producerKey('t1')}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const send = (part: string) => new Promise<void>((resolve) => socket.write(part, () => resolve()));
  await send(`${lines.join('\r\n')}\r\n\r\n${text.slice(0, -1)}`);
  return { socket, end: () => send(text.slice(-1)) };
}

/** A WebSocket client that reads and never answers, not even the close frame. */
async function silentSocket(origin: string, token: string): Promise<{ text(): string; closed(): boolean }> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = '';
  let closed = false;
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  const lines = [
    'GET /v1/stream HTTP/1.1',
    `host: ${hostname}:${port}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    `sec-websocket-protocol: carillon.v1, bearer.${token}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await eventually(() => text.includes('"kind":"hello"'));
  return { text: () => text, closed: () => closed };
}
