import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import fc from 'fast-check';
import type { UserPrincipal } from '../../auth/principal.ts';
import { limits } from '../../base/limits.ts';
import { PollTransport } from './poll-transport.ts';
import { streamContract } from './stream.contract.ts';
import { openPolls } from './stream-clients.contract.ts';
import { marks, r1, StreamWorld, shown, until } from './stream-world.contract.ts';
import { outFrame } from './transport.ts';

streamContract({ name: 'poll', open: openPolls, expired: 401, revoked: 401 });

describe('poll', { timeout: 120_000 }, () => {
  let world: StreamWorld;
  const poll = async (query: string): Promise<ServerFrame & { revision?: number }> => {
    const headers = { authorization: `Bearer ${world.token('r1')}` };
    const answer = await fetch(`${world.origin}/v1/stream/poll?${query}`, { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    return (await answer.json()) as ServerFrame;
  };
  /** Starts a poll and waits until it is waiting. */
  const waiting = async (query: string): Promise<{ answer: Promise<ServerFrame & { revision?: number }> }> => {
    const sent = world.framesSent();
    const answer = poll(query);
    await until(() => world.framesSent() > sent);
    return { answer };
  };
  beforeEach(async () => {
    world = await StreamWorld.listen();
  });
  afterEach(() => world.stop());

  test('when nothing happens it answers an empty changes frame at the same revision, with the counts', async () => {
    world.publish(r1, 8);
    const { answer } = await waiting('since=8&waitMs=5000');
    world.clock.advance(4999);
    assert.equal(world.gateway.stats().connections.poll, 1);
    world.clock.advance(1);
    const frame = await answer;
    assert.deepEqual(frame, {
      kind: 'changes',
      items: [],
      removed: [],
      counts: { unread: 1, unseen: 0, capped: false, revision: 8, marksVersion: 0 },
      revision: 8,
    });
    assert.equal(world.gateway.stats().connections.poll, 0);
  });

  test('no poll waits longer than 30 s, whatever it asks for', async () => {
    const { answer } = await waiting('since=0&waitMs=999999');
    world.clock.advance(limits.pollWaitMsMax);
    assert.equal((await answer).revision, 0);
  });

  test('what was missed is answered at once, one frame at a time; marks too', async () => {
    world.publish(r1, 1, 2, 3);
    assert.equal((await poll('since=1')).revision, 2);
    assert.equal((await poll('since=2')).revision, 3);
    const { answer } = await waiting('since=3');
    world.feed.publishMarks(r1, marks(3));
    assert.equal((await answer).kind, 'marks');
  });

  test('marks that a client says it has not are answered at once; those it has are waited beyond', async () => {
    const counts = { unread: 0, unseen: 0, capped: false, revision: 8, marksVersion: 5 };
    const frames = [
      outFrame({ kind: 'hello', user: 'r1', revision: 8, counts, heartbeatMs: 1 }, 8),
      outFrame(marks(8), 8),
    ];
    const older = new PollTransport(8, 4);
    older.open(frames);
    assert.equal(JSON.parse(String(await older.answer)).kind, 'marks');
    for (const known of [5, null]) {
      const current = new PollTransport(8, known);
      let isAnswered = false;
      void current.answer.then(() => {
        isAnswered = true;
      });
      current.open(frames);
      await turn();
      assert.equal(isAnswered, false);
    }
  });

  test('a catch-up that cannot be read in time is told as such', async () => {
    world.feed.pause = () => new Promise(() => {});
    const headers = { authorization: `Bearer ${world.token('r1')}` };
    const answer = fetch(`${world.origin}/v1/stream/poll?since=0&waitMs=1000`, { headers });
    await until(() => world.gateway.stats().connections.poll === 1);
    world.clock.advance(1000);
    assert.equal((await answer).status, 503);
  });

  test('a client that was let in just before a drain is sent away by it', async () => {
    const principal = (await world.authenticate(world.token('r1'))) as UserPrincipal;
    const drained = world.gateway.drain(0);
    const transport = new PollTransport(0);
    world.gateway.accept(transport, { principal, since: 0 }, (connection) => {
      transport.connection = connection;
    });
    await assert.rejects(transport.answer, { code: 'CARILLON_DRAINING' });
    await drained;
    assert.equal(world.feed.subscriptions(r1), 0);
  });

  test('no event is lost or repeated between polls, whenever it comes', async () => {
    const steps = fc.array(fc.constantFrom('publish', 'turn', 'turns', 'expire'), { maxLength: 40 });
    let revision = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (run) => {
        const first = revision;
        const client = await openPolls(world, { token: world.token('r1'), since: first });
        for (const step of run) {
          if (step === 'publish') world.publish(r1, ++revision);
          else if (step === 'expire') world.clock.advance(limits.pollWaitMsMax);
          else for (let turns = step === 'turn' ? 1 : 20; turns > 0; turns--) await turn();
        }
        world.publish(r1, ++revision);
        await until(() => shown(client).includes(revision));
        client.kill();
        assert.deepEqual(
          shown(client),
          Array.from({ length: revision - first }, (_, at) => first + at + 1),
        );
      }),
      { numRuns: 15 },
    );
  });
});
