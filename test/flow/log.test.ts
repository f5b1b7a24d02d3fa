/** What the log promises, seen from outside: nothing is lost, doubled or stopped by restarts, rewinds and bad records. */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import type { PackedBatch } from '../../server/src/log/record.ts';
import { packEvents } from '../sim/pack-event.ts';
import { event, like } from './events.ts';
import { rows } from './person.ts';
import { embeddedOnly, isCluster, resultsOf, World } from './world.ts';

const message = (n: number, user = 'r1') =>
  event(
    'message.sent',
    { actor: { id: 'a1' }, object: { kind: 'message', id: `m${n}`, title: `text ${n}` }, to: { user } },
    { at: n, id: `m${n}` },
  );
const ids = (items: readonly { object: { id: string } }[]) => items.map(({ object }) => object.id);
const messages = (count: number) => Array.from({ length: count }, (_, n) => `m${count - n}`);

describe('the log of the whole service', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  const storeFolder = () => join(world.dataDir, 'store');

  test(
    'BC-08: a store that has fallen behind the log catches up, and nothing is there twice',
    embeddedOnly,
    async () => {
      const r1 = await world.person('r1');
      await world.happen(message(1), message(2), like('a1', 'p1', 'r1'));
      await world.pause();
      const earlier = join(world.folder, 'earlier');
      cpSync(storeFolder(), earlier, { recursive: true });
      await world.resume();
      await world.happen(message(3), like('a2', 'p1', 'r1', { at: 5 }), like('a3', 'p2', 'r1', { at: 6 }));
      const before = await r1.inbox();
      await world.pause();
      // As after a loss of power: the log is synced, the store is not.
      rmSync(storeFolder(), { recursive: true });
      cpSync(earlier, storeFolder(), { recursive: true });
      await world.resume();
      await world.settled();
      assert.deepEqual(rows(await r1.inbox()), rows(before));
      assert.deepEqual(
        (await r1.inbox()).map(({ id, actorCount }) => [id, actorCount]),
        before.map(({ id, actorCount }) => [id, actorCount]),
      );
      assert.equal(await r1.unread(), 5);
    },
  );

  test('BC-08, BC-13: records that are read again change nothing, and those not read yet come once, in order', async () => {
    const r1 = await world.person('r1');
    await world.happen(...Array.from({ length: 100 }, (_, n) => message(n + 1)), like('a1', 'p1', 'r1'));
    const before = await r1.inbox();
    await world.pause();
    // As if the last of the positions had never been written.
    await world.withStore(async (store) => {
      for (let shard = 0; shard < world.shards; shard++) await store.write(shard, [], [0, 0, 0]);
    });
    const late = Array.from({ length: 50 }, (_, n) => message(n + 101));
    await world.withLog((log) => log.append(packed(world, ...late)));
    await world.resume();
    await world.settled();
    const inbox = await r1.inbox();
    assert.deepEqual(ids(inbox.filter(({ type }) => type === 'message.sent')), messages(150));
    const arrival = inbox.filter(({ type }) => type === 'message.sent').toReversed();
    assert.deepEqual(
      ids(arrival.toSorted((a, b) => a.revision - b.revision)),
      ids(arrival),
      'processed in the order of the log',
    );
    const unchanged = new Map(inbox.map(({ id, revision }) => [id, revision]));
    assert.ok(before.every(({ id, revision }) => unchanged.get(id) === revision));
  });

  test('BC-10: bad records stop neither lane nor process, and are told of', async () => {
    const r1 = await world.person('r1');
    const sent = await world.post([message(1), '{"id":"m2', message(3)] as never);
    assert.deepEqual(
      resultsOf(sent).map(({ status }) => status),
      ['accepted', 'rejected', 'accepted'],
    );
    await world.settled();
    await world.pause();
    await world.withLog(async (log) => {
      await log.append(spoil(packed(world, message(4)), '"text 4"', '"te\\xt4"'));
      await log.append(packed(world, message(5)));
    });
    await world.resume();
    await world.happen(message(6));
    assert.deepEqual(ids(await r1.inbox()), ['m6', 'm5', 'm3', 'm1']);
    assert.deepEqual(
      world.logged.filter((entry) => entry.event === 'recordUnusable').map(({ reason, lane }) => [reason, lane]),
      [['failed', 'direct']],
    );
    assert.deepEqual(await world.metric('carillon_records_unusable_total'), [1]);
    const found = world.logged.find((entry) => entry.event === 'recordUnusable');
    assert.ok(Number.isInteger(found?.position) && Number.isInteger(found?.offset));
  });
});

test('with several shards an event reaches each of its people once, over repetition and restart (E3)', async () => {
  const world = await World.start({ config: { shards: 4 } });
  try {
    const users = Array.from({ length: 40 }, (_, n) => `u${n}`);
    const posted = event(
      'post.published',
      { actor: { id: 'a1' }, object: { kind: 'post', id: 'p1' }, to: { users } },
      { id: 'shards' },
    );
    await world.happen(posted, ...users.map((user) => like('a2', 'p2', user)));
    await repeat(world, posted);
    await world.restart();
    await repeat(world, posted);
    await world.settled();
    for (const user of users) {
      const person = await world.person(user);
      assert.deepEqual(rows(await person.inbox()).toSorted(), ['post.liked post:p2 a2', 'post.published post:p1 a1']);
      assert.equal(await person.unread(), 2);
    }
  } finally {
    await world.close();
  }
});

/** In a cluster the process asked may not know that it is a repetition: readers of the log do. */
async function repeat(world: World, posted: Event): Promise<void> {
  const [result] = resultsOf(await world.post([posted]));
  assert.ok(result?.status === 'duplicate' || (isCluster && result?.status === 'accepted'), String(result?.status));
}

function packed({ shards }: World, ...events: readonly Event[]): PackedBatch {
  return packEvents(events, systemClock.now(), { tenant: 't1', shards });
}

function spoil({ bytes, count }: PackedBatch, from: string, to: string): PackedBatch {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(from);
  assert.ok(at >= 0 && from.length === to.length);
  bytes.set(Buffer.from(to), at);
  return { bytes, count };
}
