import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { Http2Pool, type PoolOptions } from './http2-pool.ts';
import type { ProviderReply } from './provider-reply.ts';
import { type Answering, TestHttp2Server } from './test-http2-server.ts';

const ok = { status: 200 };

async function withServer(
  answer: Answering,
  use: (server: TestHttp2Server, pool: Http2Pool, clock: VirtualClock) => Promise<void>,
  more: Partial<PoolOptions> & { streamsMax?: number } = {},
): Promise<void> {
  const server = new TestHttp2Server(answer, { maxConcurrentStreams: more.streamsMax ?? 100 });
  const clock = new VirtualClock();
  const origin = await server.listen();
  const pool = new Http2Pool({ origin, clock, startsWithOneStream: false, connectionsMax: 1, ...more });
  try {
    await use(server, pool, clock);
  } finally {
    await server.close();
    await pool.close();
  }
}

const post = (path: string) => ({ ':method': 'POST', ':path': path });
const sendMany = (pool: Http2Pool, count: number): Promise<ProviderReply[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => pool.request(post(`/${i}`), `body ${i}`)));
const kinds = (replies: readonly ProviderReply[]): string[] =>
  replies.map((reply) => (reply.kind === 'answer' ? String(reply.status) : `${reply.kind} ${reply.code}`));
const until = async (holds: () => boolean): Promise<void> => {
  for (let turns = 0; !holds(); turns++) {
    assert.ok(turns < 100_000, 'does not come');
    await turn();
  }
};

test('requests and answers belong together, with headers and bodies', async () => {
  const echo: Answering = ({ path, body }) => ({ status: 201, headers: { 'apns-id': path }, body: `${body}!` });
  await withServer(echo, async (_server, pool) => {
    for (const [i, reply] of (await sendMany(pool, 20)).entries()) {
      assert.ok(reply.kind === 'answer');
      assert.deepEqual([reply.status, reply.headers['apns-id'], reply.body], [201, `/${i}`, `body ${i}!`]);
    }
  });
});

test('V10: one stream until a request was let in, then as many as the settings say', async () => {
  let isLetIn = false;
  let streamsBefore = 0;
  const answer: Answering = async (request) => {
    await turn();
    if (!isLetIn) streamsBefore = server.underWayMax;
    if (request.path === '/0') return { status: 403 };
    isLetIn = true;
    return ok;
  };
  let server!: TestHttp2Server;
  await withServer(
    answer,
    async (given, pool) => {
      server = given;
      const replies = await sendMany(pool, 40);
      assert.equal(replies.length, 40);
      assert.equal(streamsBefore, 1);
      assert.equal(server.underWayMax, 7);
      assert.equal(server.sessions.length, 1);
    },
    { startsWithOneStream: true, streamsMax: 7 },
  );
});

test('BC-48: GOAWAY in the middle of a burst: each of 300 arrives once, the rest on a new connection', async () => {
  const answer: Answering = ({ stream, connection }) => {
    if (connection === 0 && stream === 99) server.sessions[0]?.goaway(0, 99, Buffer.from('{"reason":"Shutdown"}'));
    return ok;
  };
  let server!: TestHttp2Server;
  await withServer(
    answer,
    async (given, pool) => {
      server = given;
      const replies = await sendMany(pool, 300);
      assert.deepEqual(new Set(kinds(replies)), new Set(['200']));
      // Of what the server took, nothing came twice; what lay above the last stream it had refused.
      const paths = server.seen.map(({ path }) => path);
      const taken = server.seen.filter(({ connection, stream }) => connection > 0 || stream <= 99);
      assert.equal(new Set(taken.map(({ path }) => path)).size, 300);
      assert.equal(taken.length, 300, `${paths.length} seen`);
      assert.equal(server.sessions.length, 2);
      // The server keeps the first one open; we do not.
      await pool.close();
    },
    { streamsMax: 300 },
  );
});

test('BC-48: GOAWAY with an error: what it may have looked at is lost, the rest goes on', async () => {
  const answer: Answering = ({ stream, connection }) => {
    if (connection > 0) return ok;
    if (stream === 9) server.sessions[0]?.goaway(2, 9);
    return null;
  };
  let server!: TestHttp2Server;
  await withServer(answer, async (given, pool) => {
    server = given;
    const replies = kinds(await sendMany(pool, 10));
    assert.deepEqual(replies.slice(0, 5), Array(5).fill('lost goaway'));
    assert.deepEqual(replies.slice(5), Array(5).fill('200'));
  });
});

test('V4: a connection that breaks loses what was sent; a stream that is refused is tried on', async () => {
  let times = 0;
  await withServer(
    ({ path }, stream) => {
      times++;
      if (path === '/0' && times === 1) stream.close(7);
      else if (path === '/0') return ok;
      else stream.session?.destroy();
      return null;
    },
    async (_server, pool) => {
      assert.deepEqual(kinds([await pool.request(post('/0'), 'x')]), ['200']);
      assert.equal(times, 2);
      const [reply] = await Promise.all([pool.request(post('/1'), 'x')]);
      assert.equal(reply.kind, 'lost');
      assert.equal(times, 3);
    },
  );
});

test('a stream that every connection refuses was not sent', async () => {
  let times = 0;
  await withServer(
    (_request, stream) => {
      times++;
      stream.close(7);
      return null;
    },
    async (_server, pool) => {
      assert.equal((await pool.request(post('/0'), 'x')).kind, 'unsent');
      assert.equal(times, limits.pushTriesMax);
    },
  );
});

test('an answer that does not come is lost; the connection is asked, and dropped where it is silent', async () => {
  let isSilent = true;
  await withServer(
    () => (isSilent ? null : ok),
    async (server, pool, clock) => {
      const late = pool.request(post('/late'), 'x');
      await until(() => server.seen.length === 1);
      server.mute(0);
      clock.advance(limits.pushAnswerMs + limits.pushSweepMs);
      assert.deepEqual(await late, { kind: 'lost', code: 'answerTimeout' });
      isSilent = false;
      const next = pool.request(post('/next'), 'x');
      clock.advance(limits.pushPingMs);
      assert.deepEqual(kinds([await next]), ['200']);
      assert.equal(server.sessions.length, 2);
    },
  );
});

test('a connection at rest is asked before it is used; a live one stays', async () => {
  await withServer(
    () => ok,
    async (server, pool, clock) => {
      await pool.request(post('/0'), 'x');
      let pings = 0;
      server.sessions[0]?.on('ping', () => pings++);
      await pool.request(post('/1'), 'x');
      assert.equal(pings, 0);
      clock.advance(limits.pushRestMs + 1);
      assert.deepEqual(kinds([await pool.request(post('/2'), 'x')]), ['200']);
      assert.equal(pings, 1);
      assert.equal(server.sessions.length, 1);
    },
  );
});

test('nobody there: unsent at once, and for a moment without another try', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const clock = new VirtualClock();
  const pool = new Http2Pool({ origin: `http://127.0.0.1:${port}`, clock, startsWithOneStream: false });
  assert.deepEqual(new Set(kinds(await sendMany(pool, 5))), new Set(['unsent ECONNREFUSED']));
  const again = new TestHttp2Server(() => ok);
  await again.listen(port);
  assert.deepEqual(kinds([await pool.request(post('/'), '')]), ['unsent ECONNREFUSED']);
  clock.advance(limits.pushReconnectMs);
  assert.deepEqual(kinds([await pool.request(post('/'), 'x')]), ['200']);
  await again.close();
  await pool.close();
});

test('a server that takes the connection and says nothing is waited for within bounds', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const clock = new VirtualClock();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = new Http2Pool({ origin, clock, startsWithOneStream: false });
  const reply = pool.request(post('/'), 'x');
  await until(() => sockets.length === 1);
  clock.advance(Math.max(limits.pushConnectMs, limits.pushWaitMs));
  assert.equal((await reply).kind, 'unsent');
  for (const socket of sockets) socket.destroy();
  await Promise.all([new Promise((resolve) => server.close(resolve)), pool.close()]);
});

test('closing: what is under way finishes, what waits was not sent', async () => {
  await withServer(
    async () => {
      await turn();
      return ok;
    },
    async (server, pool) => {
      const all = sendMany(pool, 6);
      await until(() => server.seen.length === 2);
      const closed = pool.close();
      assert.deepEqual(kinds(await all).sort(), ['200', '200', ...Array(4).fill('unsent closed')]);
      await closed;
      assert.deepEqual(kinds([await pool.request(post('/'), 'x')]), ['unsent closed']);
    },
    { streamsMax: 2, clock: systemClock },
  );
});

test('what Node takes for no request is unsent, and harms no other', async () => {
  await withServer(
    () => ok,
    async (server, pool) => {
      const bad = pool.request({ ...post('/bad'), ':none': 'x' }, 'x');
      const [reply, good] = await Promise.all([bad, pool.request(post('/good'), 'x')]);
      assert.deepEqual(kinds([reply, good]), ['unsent ERR_HTTP2_INVALID_PSEUDOHEADER', '200']);
      assert.equal(server.sessions.length, 1);
    },
  );
});

test('BC-79: closing does not wait for answers that do not come: they are lost', async () => {
  await withServer(
    () => null,
    async (server, pool, clock) => {
      const all = sendMany(pool, 3);
      await until(() => server.seen.length === 3);
      const closed = pool.close();
      clock.advance(limits.pushCloseMs);
      assert.deepEqual(kinds(await all), Array(3).fill('lost closed'));
      await closed;
    },
  );
});

test('names are looked up anew for each connection', async () => {
  let lookups = 0;
  const server = new TestHttp2Server(() => ok);
  const { port } = new URL(await server.listen());
  const pool = new Http2Pool({
    origin: `http://push.example:${port}`,
    clock: new VirtualClock(),
    startsWithOneStream: false,
    lookup: (_host, _options, answer) => {
      lookups++;
      answer(null, [{ address: '127.0.0.1', family: 4 }]);
    },
  });
  await pool.request(post('/'), 'x');
  server.sessions[0]?.close();
  await until(() => server.sessions[0]?.destroyed === true);
  assert.deepEqual(kinds([await pool.request(post('/'), 'x')]), ['200']);
  assert.equal(lookups, 2);
  await server.close();
  await pool.close();
});
