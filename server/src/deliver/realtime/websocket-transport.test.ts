import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { personKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { streamContract } from './stream.contract.ts';
import { openWebSocket, type RefusedError, type WebSocketClient } from './stream-clients.contract.ts';
import { appOrigin, changes, r1, StreamWorld, shown, until } from './stream-world.contract.ts';

streamContract({ name: 'websocket', open: openWebSocket, expired: 4100, revoked: 4101 });

const options = { timeout: 120_000 };
const auth = (token: string, more: object = {}): string => JSON.stringify({ kind: 'auth', token, ...more });

describe('websocket: the token in the first frame', options, () => {
  let world: StreamWorld;
  const open = (headers: Record<string, string> = {}): Promise<WebSocketClient> =>
    openWebSocket(world, { token: '', since: null, headers });
  beforeEach(async () => {
    world = await StreamWorld.listen();
  });
  afterEach(() => world.stop());

  test('it opens the stream, from its own revision on', async () => {
    world.publish(r1, 1, 2, 3);
    const client = await open({ origin: appOrigin, cookie: 'theme=dark' });
    assert.equal(client.ws.protocol, 'carillon.v1');
    client.ws.send(auth(world.token('r1'), { since: 1 }));
    await until(() => shown(client).length === 2);
    assert.deepEqual(shown(client), [2, 3]);
    assert.equal(world.gateway.stats().unproven, 0);
  });

  test('without a revision in the frame, the one in the URL counts', async () => {
    world.publish(r1, 1, 2, 3);
    const client = await openWebSocket(world, { token: '', since: 2 });
    client.ws.send(auth(world.token('r1')));
    await until(() => shown(client).length === 1);
    assert.deepEqual(shown(client), [3]);
  });

  test('nothing within 5 s ends it, even when the client is otherwise alive', async () => {
    const client = await open();
    world.clock.advance(limits.authFrameMs - limits.sweepMs);
    assert.equal(world.gateway.stats().unproven, 1);
    client.ws.ping();
    world.clock.advance(2 * limits.sweepMs);
    await until(() => client.ended !== null);
    assert.deepEqual([client.ended?.code, world.gateway.stats().unproven], [4102, 0]);
  });

  for (const [what, frames, code] of [
    ['a bad token', [auth('forged')], 4100],
    ['a token without the scope', [auth('without-scope')], 4200],
    ['another frame first', ['{"kind":"visible","visible":true}'], 4201],
    ['a second token while the first is checked', [auth('forged'), auth('forged')], 4201],
  ] as const) {
    test(`${what} ends it with ${code}`, async () => {
      const client = await open();
      for (const frame of frames) client.ws.send(frame);
      await until(() => client.ended !== null);
      assert.equal(client.ended?.code, code);
      assert.deepEqual(
        client.frames.map((frame) => frame.kind),
        ['bye'],
      );
    });
  }

  test('BC-67: a cookie without Origin and without token is refused before the upgrade', async () => {
    await assert.rejects(open({ cookie: 'session=1' }), (error: RefusedError) => error.status === 401);
    await assert.rejects(open({ origin: 'https://evil.test', cookie: 'session=1' }), (error: RefusedError) => {
      const problem = JSON.parse(error.body) as { code: string; status: number; requestId: string };
      assert.equal(error.headers['content-type'], 'application/problem+json');
      return problem.code === 'CARILLON_AUTH_FORBIDDEN' && problem.status === 403 && error.status === 403;
    });
  });

  test('sockets that wait for a token are bounded', async () => {
    const small = await StreamWorld.listen({ unprovenConnectionsMax: 1 });
    await openWebSocket(small, { token: '', since: null });
    const second = openWebSocket(small, { token: '', since: null });
    await assert.rejects(second, (error: RefusedError) => error.status === 503 && error.headers['retry-after'] === '5');
    await openWebSocket(small, { token: small.token('r1'), since: null });
    await small.stop();
  });

  test('a later auth frame renews the token, for the same person only', async () => {
    const client = await openWebSocket(world, {
      token: world.token('r1', { expiresAtMs: world.clock.now() + 5000 }),
      since: 0,
    });
    await until(() => client.frames.length > 0);
    client.ws.send(auth(world.token('r1', { expiresAtMs: world.clock.now() + 10_000, session: 'S2' })));
    await until(() => world.proofs === 2);
    world.clock.advance(9000);
    assert.ok(world.gateway.presence(r1).connected);
    client.ws.send(auth(world.token('r2')));
    await until(() => client.ended !== null);
    assert.equal(client.ended?.code, 4200);
  });
});

describe('websocket: heartbeats and presence', options, () => {
  let world: StreamWorld;
  let client: WebSocketClient;
  beforeEach(async () => {
    world = await StreamWorld.listen();
    client = await openWebSocket(world, { token: world.token('r1'), since: 0 });
    await until(() => client.frames.length > 0);
  });
  afterEach(() => world.stop());

  test('each interval has a ping, which an ordinary client survives', async () => {
    let pings = 0;
    client.ws.on('ping', () => pings++);
    for (let beat = 1; beat <= 4; beat++) {
      const { lastSeenAtMs } = world.gateway.presence(r1);
      world.clock.advance(limits.heartbeatMs);
      await until(() => pings >= beat && (world.gateway.presence(r1).lastSeenAtMs ?? 0) > (lastSeenAtMs ?? 0));
    }
    assert.ok(client.frames.filter((frame) => frame.kind === 'ping').length >= 4);
    assert.equal(client.ended, null);
  });

  test('a pong frame counts as a sign of life too', async () => {
    const mute = await rawSocket(world, world.token('r2'));
    const theirs = personKey('default', 'r2');
    for (let beat = 0; beat < 4; beat++) {
      const pinged = once(mute, 'data');
      await world.turnTime(limits.heartbeatMs);
      await pinged;
      mute.write(masked('{"kind":"pong"}'));
      await until(() => world.gateway.presence(theirs).lastSeenAtMs === world.clock.now());
    }
    assert.equal(world.gateway.stats().cut.heartbeatMissed, undefined);
    mute.destroy();
  });

  test('a half-open socket is cut after a missed interval, and dropped though it never answers', async () => {
    const dead = await rawSocket(world, world.token('r2'));
    assert.equal(world.gateway.stats().people, 2);
    const startMs = world.clock.now();
    // In small steps, because the ordinary client beside it must have its turns to answer.
    while (world.gateway.stats().cut.heartbeatMissed === undefined) await world.turnTime(limits.sweepMs);
    assert.ok(world.clock.now() - startMs <= 2 * limits.heartbeatMs);
    assert.equal(world.gateway.stats().people, 1);
    assert.equal(world.gateway.stats().connections.websocket, 2);
    await world.turnTime(limits.closeGraceMs + limits.sweepMs);
    await until(() => world.gateway.stats().connections.websocket === 1);
    assert.equal(client.ended, null);
    dead.destroy();
  });

  test('a client whose inbox cannot be read is sent away to come back', async () => {
    world.feed.pause = () => new Promise(() => {});
    const waiting = await openWebSocket(world, { token: world.token('r2'), since: 0 });
    world.clock.advance(limits.heartbeatMs);
    await until(() => waiting.ended !== null);
    assert.deepEqual([waiting.ended?.code, world.feed.subscriptions(personKey('default', 'r2'))], [4003, 0]);
  });

  test('a client is visible while it says so, and as long as it is there', async () => {
    assert.deepEqual(world.gateway.presence(r1).visible, false);
    client.ws.send('{"kind":"visible","visible":true}');
    await until(() => world.gateway.presence(r1).visible);
    client.ws.send('{"kind":"visible","visible":false}');
    await until(() => !world.gateway.presence(r1).visible);
    client.ws.send('{"kind":"visible","visible":true}');
    await until(() => world.gateway.presence(r1).visible);
    client.ws.close();
    await until(() => !world.gateway.presence(r1).connected);
    assert.deepEqual(world.gateway.presence(r1), { connected: false, visible: false, lastSeenAtMs: null });
  });
});

describe('websocket: frames', options, () => {
  let world: StreamWorld;
  before(async () => {
    world = await StreamWorld.listen({ connectionBufferBytesMax: 256 * 1024, connectionsPerPersonMax: 1000 });
  });
  after(() => world.stop());

  test('every length arrives byte for byte, at each of the person’s connections', async () => {
    const token = world.token('long');
    const clients = await Promise.all([1, 2, 3].map(() => openWebSocket(world, { token, since: 0 })));
    await until(() => clients.every((client) => client.frames.length > 0));
    const person = personKey('default', 'long');
    const sent = [1, 2, 3, 4].map((revision) =>
      changes(revision, ['é'.repeat([0, 10, 300, 70_000][revision - 1] ?? 0)]),
    );
    for (const frame of sent) world.feed.publish(person, frame);
    await until(() => clients.every((client) => client.frames.length === 5));
    for (const client of clients) assert.deepEqual(client.frames.slice(1), sent);
  });

  test('many connections of one person all get each frame once', async () => {
    const token = world.token('many');
    const person = personKey('default', 'many');
    const clients = await Promise.all(Array.from({ length: 200 }, () => openWebSocket(world, { token, since: 0 })));
    await until(() => clients.every((client) => client.frames.length > 0));
    world.publish(person, 1, 2, 3);
    await until(() => clients.every((client) => shown(client).length === 3));
    for (const client of clients) assert.deepEqual(shown(client), [1, 2, 3]);
  });

  test('a slow reader is cut with 4001 at its bound, and resumes where it was; others lose nothing', async () => {
    const person = personKey('default', 'slow');
    const slow = await openWebSocket(world, { token: world.token('slow'), since: 0 });
    const quick = await openWebSocket(world, { token: world.token('slow'), since: 0 });
    await until(() => slow.frames.length > 0 && quick.frames.length > 0);
    slow.ws.pause();
    let revision = 0;
    while (world.gateway.stats().cut.tooSlow === undefined) {
      revision++;
      world.feed.publish(person, changes(revision, ['x'.repeat(100_000)]));
      await until(() => shown(quick).length === revision);
    }
    slow.ws.resume();
    await until(() => slow.ended !== null);
    assert.equal(slow.ended?.code, 4001);
    assert.equal(slow.frames.at(-1)?.kind, 'bye');
    const again = await openWebSocket(world, { token: world.token('slow'), since: slow.position });
    await until(() => shown(slow, again).includes(revision));
    assert.deepEqual(
      shown(slow, again),
      Array.from({ length: revision }, (_, at) => at + 1),
    );
  });

  test('one frame beyond the bound still gets through: nobody could ever pass it else', async () => {
    const person = personKey('default', 'big');
    const client = await openWebSocket(world, { token: world.token('big'), since: 0 });
    await until(() => client.frames.length > 0);
    world.feed.publish(person, changes(1, ['x'.repeat(1_000_000)]));
    await until(() => shown(client).length === 1);
  });
});

describe('websocket: faulty clients', options, () => {
  let world: StreamWorld;
  const rejections: unknown[] = [];
  const onRejection = (error: unknown): void => void rejections.push(error);
  before(async () => {
    process.on('unhandledRejection', onRejection);
    world = await StreamWorld.listen({ connectionsPerPersonMax: 1000 });
  });
  after(async () => {
    await world.stop();
    process.off('unhandledRejection', onRejection);
    assert.deepEqual(rejections, []);
  });

  for (const [what, data] of [
    ['no JSON', '{'],
    ['an unknown kind', '{"kind":"subscribe"}'],
    ['a surplus field', '{"kind":"pong","x":1}'],
    ['a binary frame', Buffer.from('{"kind":"pong"}')],
    ['a frame too large', JSON.stringify({ kind: 'auth', token: 'x'.repeat(limits.clientFrameBytesMax) })],
    ['a frame far too large', 'x'.repeat(10 * limits.clientFrameBytesMax)],
  ] as const) {
    test(`${what} ends the stream with 4201`, async () => {
      const client = await openWebSocket(world, { token: world.token('r1'), since: 0 });
      client.ws.send(data);
      await until(() => client.ended !== null);
      assert.equal(client.ended?.code, 4201);
    });
  }

  test('bad UTF-8 and broken framing end it too', async () => {
    for (const bytes of [Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]), Buffer.from([0xff, 0xff, 0xff])]) {
      const socket = await rawSocket(world, world.token('r1'));
      const received = textOf(socket);
      socket.write(bytes);
      assert.match(await received, /"code":4201/);
    }
  });

  test('whatever bytes come, the gateway stands', async () => {
    const text = fc.string().map((content) => masked(content));
    const bytes = fc.oneof(
      text,
      fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 4 }), fc.boolean(), async (chunks, proven) => {
        const socket = await rawSocket(world, proven ? world.token('r1') : null);
        for (const chunk of chunks) socket.write(chunk);
        socket.end();
        socket.resume();
        await once(socket, 'close');
      }),
      { numRuns: 60 },
    );
    const client = await openWebSocket(world, { token: world.token('r1'), since: 0 });
    await until(() => client.frames[0]?.kind === 'hello');
    await until(() => world.gateway.stats().connections.websocket === 1);
    assert.equal(world.gateway.stats().unproven, 0);
    client.kill();
  });
});

describe('websocket: the handshake', options, () => {
  let world: StreamWorld;
  before(async () => {
    world = await StreamWorld.listen();
  });
  after(() => world.stop());

  test('other paths are not upgraded, and an upgrade to something else is an ordinary request', async () => {
    const other = openWebSocket({ ...world, origin: `${world.origin}/x?` } as StreamWorld, { token: 'a', since: null });
    await other.then(
      (client) => client.kill(),
      () => {},
    );
    const elsewhere = await rawRequest(world, 'GET /v1/else HTTP/1.1', 'upgrade: websocket');
    assert.match(elsewhere, /^HTTP\/1\.1 404 .*CARILLON_ROUTE_UNKNOWN/s);
    const h2c = await rawRequest(world, 'GET /v1/stream/poll HTTP/1.1', 'upgrade: h2c');
    assert.match(h2c, /^HTTP\/1\.1 401 .*CARILLON_AUTH_REQUIRED/s);
  });

  test('no token is ever echoed, and a lone bearer protocol opens nothing', async () => {
    const token = world.token('r1');
    const client = await openWebSocket(world, { token, since: null });
    assert.equal(client.ws.protocol, 'carillon.v1');
    const answer = await rawRequest(world, 'GET /v1/stream HTTP/1.1', 'upgrade: websocket', [
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version: 13',
      `sec-websocket-protocol: bearer.${token}`,
      'cookie: a=b',
    ]);
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.ok(!answer.includes(token));
  });

  test('a peer that goes away while its token is checked harms nobody', async () => {
    const socket = connect(Number(new URL(world.origin).port), '127.0.0.1');
    socket.write(handshake(world.token('r1')));
    socket.resetAndDestroy();
    await once(socket, 'close');
    const client = await openWebSocket(world, { token: world.token('r2'), since: null });
    await until(() => client.frames.length > 0);
  });

  test('a drain does not wait for a client that never answers', async () => {
    const own = await StreamWorld.listen();
    const dead = await rawSocket(own, own.token('r1'));
    const drained = own.gateway.drain(1000);
    await own.turnTime(950);
    assert.equal(own.gateway.stats().connections.websocket, 1);
    await own.turnTime(100);
    await drained;
    assert.equal(own.gateway.stats().connections.websocket, 0);
    dead.destroy();
    await own.stop();
  });

  test('BC-43: a drain goes in waves, and its clients are told to come back well apart', async () => {
    const own = await StreamWorld.listen({ connectionsPerPersonMax: 1000 });
    const token = own.token('r1');
    const clients = await Promise.all(Array.from({ length: 200 }, () => openWebSocket(own, { token, since: 0 })));
    const drained = own.gateway.drain(1000);
    assert.equal(own.gateway.stats().cut.draining, 20);
    await own.turnTime(250);
    const half = own.gateway.stats().cut.draining ?? 0;
    assert.ok(half > 60 && half < 140, `${half} after a quarter`);
    await own.turnTime(800);
    await drained;
    await until(() => clients.every((client) => client.ended !== null));
    const seconds = new Map<number, number>();
    for (const { frames } of clients) {
      const bye = frames.at(-1);
      assert.ok(bye?.kind === 'bye' && bye.retryAfterMs !== undefined && bye.retryAfterMs >= 5000);
      const second = Math.floor(bye.retryAfterMs / 1000);
      seconds.set(second, (seconds.get(second) ?? 0) + 1);
    }
    assert.ok(Math.max(...seconds.values()) <= 0.15 * clients.length, JSON.stringify([...seconds]));
    await own.stop();
  });
});

function handshake(token: string | null): string {
  const protocols = token === null ? 'carillon.v1' : `carillon.v1, bearer.${token}`;
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13';
  return `GET /v1/stream HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n${key}\r\nsec-websocket-protocol: ${protocols}\r\n\r\n`;
}

/** An open stream without a library on this side, so nothing answers pings. Null: not authenticated yet. */
async function rawSocket(world: StreamWorld, token: string | null): Promise<Socket> {
  const socket = connect(Number(new URL(world.origin).port), '127.0.0.1');
  socket.on('error', () => {});
  const before = world.framesSent();
  socket.write(handshake(token));
  await once(socket, 'data');
  if (token !== null) await until(() => world.framesSent() > before);
  return socket;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

async function rawRequest(
  world: StreamWorld,
  line: string,
  upgrade: string,
  more: readonly string[] = [],
): Promise<string> {
  const socket = connect(Number(new URL(world.origin).port), '127.0.0.1');
  socket.end([line, 'host: x', 'connection: upgrade', upgrade, ...more, '', ''].join('\r\n'));
  return await textOf(socket);
}

/** A client's text frame, with a mask that changes nothing. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text).subarray(0, 125);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
