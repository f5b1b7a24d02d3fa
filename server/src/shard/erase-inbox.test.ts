/** Whoever is erased has nothing left in the shard, in memory or stored, and nothing that waited is told (S7, BC-71). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestPerson } from './test-person.ts';

test('BC-71: rows, marks, notes and timers go; what waits is not sent; what comes later is that of somebody new', async () => {
  const one = await TestPerson.start();
  await one.send('message.sent', 'a1', 'message:m1');
  await one.pass(0);
  assert.equal(one.push.taken.length, 1);
  await one.choose({ pausedUntil: '2026-03-10T13:00:00Z', digest: { email: 'daily', at: '20:00' } });
  await one.send('message.sent', 'a1', 'message:m2');
  await one.send('post.liked', 'a1', 'post:p1');
  await one.send('post.liked', 'r1', 'post:p1');
  await one.mark({ kind: 'read', ids: (await one.items()).slice(0, 1).map(({ id }) => id) });
  await one.pass(0);
  assert.ok((await one.timers.list(0, null, 10)).length > 0);

  await one.erase();
  assert.deepEqual([await one.items(), await one.decisions(), await one.timers.list(0, null, 10)], [[], [], []]);
  assert.equal((await one.counts()).unread, 0);
  await one.pass(24 * 3_600_000);
  assert.equal(one.push.taken.length + one.email.taken.length, 1);

  await one.choose({});
  await one.send('post.liked', 'a2', 'post:p1');
  assert.deepEqual(await one.shown(), ['post.liked p1 a2'], 'not with those of before');
  await one.restart();
  assert.deepEqual(await one.shown(), ['post.liked p1 a2']);
  await one.pass(60_000);
  assert.equal(one.push.taken.length, 2);
  await one.stop();
});

test('timers of others stay', async () => {
  const one = await TestPerson.start();
  await one.send('post.liked', 'a1', 'post:p1', { to: { users: ['r1', 'r2'] } });
  const before = await one.timers.list(0, null, 10);
  await one.erase();
  const left = await one.timers.list(0, null, 10);
  assert.deepEqual([before.length, left.length], [2, 1]);
  assert.match(left[0]?.person ?? '', /r2/);
  await one.stop();
});
