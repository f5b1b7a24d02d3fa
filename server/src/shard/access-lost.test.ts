/** What a person may no longer see is neither shown nor told any more, whatever waits (D11, BC-64). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weekdays } from '@carillon/contract/weekdays.ts';
import { TestPerson } from './test-person.ts';

const group = { kind: 'group', id: 'g1' };
const comment = (n: number, title = 'secret-7') => ({ object: { kind: 'comment', id: `c${n}`, title, parent: group } });
const always = {
  enabled: true,
  days: Object.fromEntries(weekdays.map((day) => [day, [{ from: '10:00', to: '20:00' }]])),
};

async function stored(one: TestPerson): Promise<string> {
  return JSON.stringify((await one.items()).map(({ opening: _, ...item }) => item));
}

test('BC-64: rows of what the person may not see go, with their words, and nothing that waits of them leaves', async () => {
  const one = await TestPerson.start();
  await one.send('reply.created', 'a1', 'comment:c1', comment(1));
  await one.pass(0);
  assert.equal(one.push.taken.length, 1, 'told while it could be seen; a mail waits to be needed');
  await one.choose({ quietHours: always });
  await one.pass(1000);
  await one.send('mention.created', 'a2', 'comment:c2', comment(2));
  await one.pass(0);
  assert.match(await one.why('push'), /^hold quietHours/);
  await one.choose({ quietHours: always, digest: { email: 'daily', at: '21:00' } });
  await one.send('mention.created', 'a3', 'comment:c3', comment(3));
  await one.send('comment.created', 'a4', 'comment:c4', comment(4));
  await one.send('post.liked', 'a5', 'post:p1', { object: { kind: 'post', id: 'p1', title: 'mine' } });
  await one.pass(0);
  assert.equal(await one.unread(), 5);

  await one.send('access.revoked', '', 'group:g1', {});
  assert.deepEqual(await one.shown(), ['post.liked p1 a5']);
  assert.equal(await one.unread(), 1);
  assert.doesNotMatch(await stored(one), /secret-7/);
  const framesBefore = one.framesNaming('secret-7');
  await one.send('comment.edited', 'a1', 'comment:c1', comment(1, 'secret-7 again'));
  await one.send('reply.created', 'a9', 'comment:c9', comment(9));
  assert.equal(one.reasons.at(-1), 'accessLost');
  await one.restart();
  await one.pass(3 * 24 * 3_600_000);
  assert.equal(one.framesNaming('secret-7'), framesBefore);
  assert.doesNotMatch(await stored(one), /secret-7/);
  const told = [...one.push.taken, ...one.email.taken].flatMap(({ tells }) =>
    tells.map(({ notification }) => notification),
  );
  const objects = new Map((await one.items()).map(({ id, object }) => [id, object.id]));
  assert.deepEqual([...new Set(told.map((id) => objects.get(id)))].sort(), ['c1', 'p1']);
  assert.equal(one.push.taken.length, 2);
  await one.stop();
});

test('what comes after access is given again is shown; the later of the two stands', async () => {
  const one = await TestPerson.start();
  await one.send('mention.created', 'a1', 'comment:c1', comment(1));
  await one.pass(1000);
  await one.send('access.revoked', '', 'group:g1', {});
  await one.pass(1000);
  await one.send('access.granted', '', 'group:g1', {});
  await one.send('mention.created', 'a1', 'comment:c2', comment(2));
  assert.deepEqual(await one.shown(), ['mention.created c2 a1'], 'nothing is brought back');
  const late = new Date(one.clock.now() - 500).toISOString();
  await one.send('access.revoked', '', 'group:g1', { time: late });
  assert.deepEqual(await one.shown(), ['mention.created c2 a1'], 'it was before');
  await one.pass(1000);
  await one.restart();
  await one.send('access.revoked', '', 'group:g1', {});
  assert.deepEqual(await one.shown(), []);
  await one.send('mention.created', 'a1', 'comment:c3', comment(3));
  assert.deepEqual(await one.shown(), []);
  await one.stop();
});

test('of a row of many things, the one that may not be seen leaves, with what it said', async () => {
  const one = await TestPerson.start();
  const onPost = (n: number, title: string) => ({
    object: { kind: 'comment', id: `c${n}`, title, parent: { kind: 'post', id: 'p1' } },
  });
  await one.send('comment.created', 'a1', 'comment:c1', onPost(1, 'open'));
  await one.send('comment.created', 'a2', 'comment:c2', onPost(2, 'secret-7'));
  await one.send('access.revoked', '', 'comment:c2', {});
  assert.deepEqual(await one.shown(), ['comment.created p1 a1']);
  assert.doesNotMatch(await stored(one), /secret-7/);
  await one.stop();
});
