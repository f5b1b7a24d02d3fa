/** What a stream promises whatever its transport (V30–V33). Run for each transport with a client of its kind. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { personKey, type TenantId } from '../../base/ids.ts';
import { RefusedError } from './stream-clients.contract.ts';
import {
  appOrigin,
  type CreateFeed,
  marks,
  type OpenStream,
  r1,
  type StreamClient,
  StreamWorld,
  shown,
  until,
} from './stream-world.contract.ts';

export interface TransportUnderTest {
  readonly name: 'websocket' | 'sse' | 'poll';
  readonly open: OpenStream;
  /** The usual one is in memory. */
  readonly createFeed?: CreateFeed;
  /** How an end for an authentication reason looks: close code, or status. */
  readonly expired: number;
  readonly revoked: number;
}

export function streamContract(transport: TransportUnderTest): void {
  const timeout = 120_000;
  let world: StreamWorld;
  beforeEach(async () => {
    world = await StreamWorld.listen({}, transport);
  });
  afterEach(() => world.stop());

  const open = (
    token: string,
    since: number | null,
    more: { headers?: Record<string, string>; query?: Record<string, string> } = {},
  ) => transport.open(world, { token, since, ...more });
  const statusOf = async (opening: Promise<StreamClient>): Promise<number> => {
    try {
      await opening;
      return 200;
    } catch (error) {
      assert.ok(error instanceof RefusedError, String(error));
      return error.status;
    }
  };

  describe(`${transport.name}: order and position`, { timeout }, () => {
    test('the first frame is hello, with revision, counts and heartbeat', async () => {
      world.publish(r1, 7, 8);
      const client = await open(world.token('r1'), null);
      await until(() => client.frames.length > 0);
      const hello = client.frames[0];
      assert.ok(hello?.kind === 'hello');
      assert.deepEqual([hello.user, hello.revision, hello.heartbeatMs], ['r1', 8, 25_000]);
      assert.equal(client.position, 8);
    });

    for (const killAfter of [1, 2, 3, 4]) {
      test(`BC-40: missed, then live, in order, once; client killed after ${killAfter} frames`, async () => {
        world.publish(r1, 1234, 1235, 1236);
        let pauses = 0;
        world.feed.pause = async () => {
          // Second pause of the first opening: the catch-up has been read and is on its way.
          if (++pauses === 2) world.publish(r1, 1237);
        };
        const token = world.token('r1');
        const first = await open(token, 1234);
        await until(() => first.frames.length >= killAfter || shown(first).includes(1237));
        first.kill();
        const kept = { frames: first.frames.slice(0), position: first.position };
        const second = await open(token, kept.position);
        await until(() => shown({ ...first, frames: kept.frames }, second).includes(1237));
        world.publish(r1, 1238);
        await until(() => shown(second).includes(1238));
        assert.deepEqual([...shown({ ...first, frames: kept.frames }), ...shown(second)], [1235, 1236, 1237, 1238]);
      });
    }

    test('BC-42: what was recovered moves the position; later reconnects bring nothing', async () => {
      world.publish(r1, 10, 11, 12);
      const token = world.token('r1');
      let position: number | null = 10;
      const perVisit: number[][] = [];
      for (let visit = 0; visit < 3; visit++) {
        const client = await open(token, position);
        if (visit === 0) await until(() => shown(client).includes(12));
        world.feed.publishMarks(r1, marks(5));
        if (transport.name !== 'poll') await until(() => client.frames.some((frame) => frame.kind === 'hello'));
        client.kill();
        perVisit.push(shown(client));
        position = client.position;
        assert.equal(position, 12);
      }
      assert.deepEqual(perVisit, [[11, 12], [], []]);
    });

    test('a revision too old to catch up from gets resync, and no part of what is missing', async () => {
      world.publish(r1, 5, 6, 7);
      world.feed.forget(r1, 6);
      const client = await open(world.token('r1'), 5);
      await until(() => client.frames.some((frame) => frame.kind === 'resync'));
      assert.deepEqual(shown(client), []);
    });

    test('marks reach the person’s other devices and move no position', async () => {
      world.publish(r1, 3);
      const client = await open(world.token('r1'), 3);
      await until(() => world.feed.subscriptions(r1) === 1 && world.framesSent() > 0);
      world.feed.publishMarks(r1, marks(3));
      await until(() => client.frames.some((frame) => frame.kind === 'marks'));
      assert.equal(client.position, 3);
    });

    test('a client that has gone leaves no feed open and is not present', async () => {
      world.publish(r1, 3);
      const client = await open(world.token('r1'), 3);
      await until(() => world.gateway.presence(r1).connected);
      client.kill();
      await world.turnTime(transport.name === 'poll' ? 31_000 : 0);
      await until(() => !world.gateway.presence(r1).connected);
      assert.equal(world.feed.subscriptions(r1), 0);
    });
  });

  describe(`${transport.name}: who may stream`, { timeout }, () => {
    test('BC-66: tenants with the same user id never meet', async () => {
      const [t1, t2] = [personKey('T1', '42'), personKey('T2', '42')];
      const first = await open(world.token('42', { tenant: 'T1' as TenantId }), 0);
      const second = await open(world.token('42', { tenant: 'T2' as TenantId }), 0);
      world.publish(t1, 100);
      await until(() => shown(first).length === 1);
      world.publish(t2, 200);
      await until(() => shown(second).length === 1);
      assert.deepEqual([shown(first), shown(second)], [[100], [200]]);
    });

    test('BC-67: foreign pages, cookies, tokens in the URL, missing scopes are refused with a problem', async () => {
      const token = world.token('r1');
      const cookie = `session=${token}`;
      assert.equal(await statusOf(open(token, 0, { headers: { origin: 'https://evil.test', cookie } })), 403);
      assert.equal(await statusOf(open(token, 0, { headers: { origin: 'null' } })), 403);
      assert.equal(await statusOf(open('', 0, { headers: { cookie } })), 401);
      assert.equal(await statusOf(open('', 0, { query: { access_token: token } })), 401);
      assert.equal(await statusOf(open('', 0, { query: { ticket: token } })), 401);
      assert.equal(await statusOf(open('without-scope', 0)), 403);
      assert.equal(await statusOf(open(world.producerToken(), 0)), 403);
      assert.equal(await statusOf(open('forged', 0)), 401);
      assert.equal(world.gateway.stats().opened, 0);
    });

    test('a bad revision is refused, not guessed', async () => {
      const token = world.token('r1');
      for (const since of ['-1', '1.5', 'x', '9007199254740992']) {
        assert.equal(await statusOf(open(token, null, { query: { since } })), 400, since);
      }
    });

    test('pages of the app and of the server itself may', async () => {
      const token = world.token('r1');
      assert.equal(await statusOf(open(token, null, { headers: { origin: appOrigin } })), 200);
      assert.equal(await statusOf(open(token, null, { headers: { origin: world.origin } })), 200);
    });

    test('a ticket opens one stream, in time, for its person', async () => {
      const issue = async (): Promise<string> => {
        const headers = { authorization: `Bearer ${world.token('r1')}` };
        const answer = await fetch(`${world.origin}/v1/stream/ticket`, { method: 'POST', headers });
        assert.equal(answer.status, 200);
        const { ticket, expiresAt } = (await answer.json()) as { ticket: string; expiresAt: string };
        assert.equal(Date.parse(expiresAt), world.clock.now() + 30_000);
        return ticket;
      };
      const ticket = await issue();
      const client = await open('', null, { query: { ticket } });
      await until(() => client.frames[0]?.kind === 'hello');
      assert.equal(await statusOf(open('', null, { query: { ticket } })), 401);
      const late = await issue();
      world.clock.advance(30_000);
      assert.equal(await statusOf(open('', null, { query: { ticket: late } })), 401);
    });
  });

  describe(`${transport.name}: the end`, { timeout }, () => {
    test('BC-70: revoking the session closes within 2 s, and nothing later reaches it', async () => {
      const token = world.token('r1', { session: 'S1' });
      const client = await open(token, 0);
      const other = await open(world.token('r1', { session: 'S2' }), 0);
      await until(() => world.feed.subscriptions(r1) === 2);
      world.revoke('S1');
      world.clock.advance(2000);
      world.publish(r1, 50);
      await until(() => client.ended !== null && shown(other).length === 1);
      assert.deepEqual([client.ended?.code, shown(client)], [transport.revoked, []]);
      assert.equal(await statusOf(open(token, 0)), 401);
    });

    test('BC-66: a session of the same name in another tenant stays', async () => {
      const client = await open(world.token('r1', { session: 'S1' }), 0);
      await until(() => world.feed.subscriptions(r1) === 1);
      world.revoke('S1', 'T2' as TenantId);
      world.clock.advance(2000);
      world.publish(r1, 50);
      await until(() => shown(client).length === 1);
    });

    test('a revoked session cannot use its ticket any more', async () => {
      const token = world.token('r1', { session: 'S1' });
      const { ticket } = await world.tickets.issue((await world.authenticate(token)) as never);
      world.revoke('S1');
      assert.equal(await statusOf(open('', 0, { query: { ticket } })), 401);
    });

    test('the token’s expiry closes within 2 s', async () => {
      const client = await open(world.token('r1', { expiresAtMs: world.clock.now() + 10_000 }), 0);
      await until(() => world.gateway.presence(r1).connected);
      world.clock.advance(9000);
      assert.ok(world.gateway.presence(r1).connected);
      world.clock.advance(2000);
      await until(() => client.ended !== null);
      assert.equal(client.ended?.code, transport.expired);
    });

    test('of too many connections of one person the oldest goes', async () => {
      const token = world.token('r1');
      const clients: StreamClient[] = [];
      for (let opened = 1; opened <= 21; opened++) {
        clients.push(await open(token, 0));
        await until(() => world.gateway.stats().opened === opened);
      }
      await until(() => clients[0]?.ended !== null);
      assert.equal(clients.filter((client) => client.ended !== null).length, 1);
      assert.equal(world.feed.subscriptions(r1), 20);
    });

    test('a drain refuses new streams, says when to come back, and is over in time', async () => {
      const clients = [await open(world.token('r1'), 0), await open(world.token('r2'), 0)];
      await until(() => world.gateway.stats().people === 2);
      const drained = world.gateway.drain(1000);
      assert.equal(await statusOf(open(world.token('r3'), 0)), 503);
      await world.turnTime(1000);
      await drained;
      await until(() => clients.every((client) => client.ended !== null));
      assert.deepEqual(world.gateway.stats().connections, { websocket: 0, sse: 0, poll: 0 });
      for (const { frames } of transport.name === 'poll' ? [] : clients) {
        const bye = frames.at(-1);
        assert.ok(bye?.kind === 'bye' && bye.code === 4000);
        assert.ok((bye.retryAfterMs ?? 0) >= 5000 && (bye.retryAfterMs ?? 0) < 20_000);
      }
    });
  });
}
