import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { event, like, unlike } from './events.ts';
import { rows } from './person.ts';
import { World } from './world.ts';

describe('order and grouping', () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.close());

  test('BC-11 run 1: an unlike that overtakes its like ends in no notification', async () => {
    const r1 = await world.person('bc11a');
    await world.happen(unlike('a1', 'p1', 'bc11a', { seq: 2, at: 1 }));
    await world.happen(like('a1', 'p1', 'bc11a', { seq: 1 }));
    assert.deepEqual(await r1.inbox(), []);
    assert.equal(await r1.unread(), 0);
    await world.restart();
    await world.happen(like('a1', 'p1', 'bc11a', { seq: 1 }));
    assert.deepEqual(await r1.inbox(), [], 'the tombstone is remembered over a restart');
  });

  test('BC-11 run 2: a late unlike between two likes leaves the row', async () => {
    const r1 = await world.person('bc11b');
    await world.happen(like('a1', 'p1', 'bc11b', { seq: 1 }), like('a1', 'p1', 'bc11b', { seq: 3, at: 2 }));
    await world.happen(unlike('a1', 'p1', 'bc11b', { seq: 2, at: 1 }));
    const inbox = await r1.inbox();
    assert.deepEqual(rows(inbox), ['post.liked post:p1 a1']);
    assert.equal(await r1.unread(), 1);
    assert.equal(await r1.told(inbox[0]?.id as string), true);
  });

  test('BC-14: two first events at one instant make one group of two, 200 times', async () => {
    const posts = Array.from({ length: 200 }, (_, index) => `p${index}`);
    await Promise.all(
      posts.flatMap((post) => [
        world.send([like('a1', post, 'bc14', { at: 0.1 })]),
        world.send([like('a2', post, 'bc14', { at: 0.1 })]),
      ]),
    );
    await world.settled();
    const inbox = await (await world.person('bc14')).inbox();
    assert.deepEqual(rows(inbox).toSorted(), posts.map((post) => `post.liked post:${post} a1+a2`).toSorted());
    assert.ok(inbox.every(({ actorCount }) => actorCount === 2));
  });

  test('BC-17: toggling a like makes one row, tells once, and a read row that comes back stays read', async () => {
    const r1 = await world.person('bc17');
    const stream = Array.from({ length: 21 }, (_, turn) =>
      (turn % 2 === 0 ? like : unlike)('a1', 'p1', 'bc17', { at: turn * 2.5, seq: turn + 1 }),
    );
    for (const each of stream) await world.happen(each);
    const [row] = await r1.inbox();
    assert.deepEqual(rows(await r1.inbox()), ['post.liked post:p1 a1']);
    assert.equal(await r1.unread(), 1);
    await r1.mark('read', { ids: [row?.id] });
    assert.equal(await r1.unread(), 0);
    await world.happen(unlike('a1', 'p1', 'bc17', { at: 120, seq: 22 }));
    assert.deepEqual(await r1.inbox(), []);
    await world.happen(like('a1', 'p1', 'bc17', { at: 121, seq: 23 }));
    const back = await r1.inbox();
    assert.deepEqual(
      back.map(({ id, state }) => [id, state.read]),
      [[row?.id, true]],
      'the same row, still read',
    );
    assert.equal(await r1.unread(), 0);
    await world.happen(unlike('a1', 'p1', 'bc17', { at: 200, seq: 24 }));
    assert.deepEqual(await r1.inbox(), []);
    assert.equal(await r1.unread(), 0);
  });

  test('BC-21 (c): two notices about nothing are two rows', async () => {
    const r1 = await world.person('bc21');
    const notice = (id: string) => event('system.notice', { to: { user: 'bc21' } }, { id });
    await world.happen(notice('A'), notice('B'));
    assert.equal((await r1.inbox()).length, 2);
    assert.equal(await r1.unread(), 2);
    await world.post([notice('A'), notice('B')]);
    await world.settled();
    assert.equal((await r1.inbox()).length, 2);
  });
});
