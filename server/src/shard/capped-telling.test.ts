/** Caps over the whole shard: what exceeds comes as one, once, whoever crashes (D9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInSource } from '../content/catalogue-source.ts';
import { LiveContent } from '../content/live-content.ts';
import { type CapRules, usualCaps } from '../decide/caps.ts';
import { TestPerson } from './test-person.ts';

const two: CapRules = { ...usualCaps, push: { hourMax: 2, dayMax: 5 } };

const cappedPerson = (rules: CapRules = two): Promise<TestPerson> => TestPerson.start(undefined, undefined, rules);

/** How many rows each push tells of, and when. */
const pushes = (one: TestPerson): string[] =>
  one.push.taken.map(
    ({ tells, decidedAtMs }) => `${new Date(decidedAtMs).toISOString().slice(11, 19)} ${tells.length}`,
  );

test('over the cap of an hour, what more comes is one summary as soon as there is room', async () => {
  const one = await cappedPerson();
  for (let n = 1; n <= 6; n++) {
    await one.send('post.liked', 'a1', `post:p${n}`);
    await one.pass(60_000);
  }
  assert.deepEqual(pushes(one), ['12:01:00 1', '12:02:00 1']);
  assert.match(await one.why('push'), /^hold cap 2026-03-10T13:01:00/);
  await one.until('2026-03-10T13:00:59Z');
  assert.equal(one.push.taken.length, 2);
  await one.until('2026-03-10T15:00:00Z');
  assert.deepEqual(pushes(one), ['12:01:00 1', '12:02:00 1', '13:01:00 4']);
  assert.equal(await one.why('push'), 'send default');
  assert.equal(await one.unread(), 6);
  await one.stop();
});

test('the day has a cap of its own, and another category is not concerned', async () => {
  const one = await cappedPerson({ ...two, push: { hourMax: 5, dayMax: 3 } });
  for (let n = 1; n <= 5; n++) await one.send('post.liked', 'a1', `post:p${n}`);
  await one.send('user.followed', 'a1', 'user:r1');
  await one.until('2026-03-11T12:00:00Z');
  assert.deepEqual(pushes(one), ['12:01:00 1', '12:01:00 1', '12:01:00 1', '12:01:00 1']);
  await one.until('2026-03-11T13:00:00Z');
  assert.deepEqual(pushes(one).slice(4), ['12:01:00 2']);
  await one.stop();
});

test('what is direct or critical is neither held nor counted', async () => {
  const one = await cappedPerson();
  for (let n = 1; n <= 5; n++) await one.send('message.sent', 'a1', `message:m${n}`);
  await one.send('security.alert', '', 'login:l1');
  await one.pass(0);
  assert.equal(one.push.taken.length, 6);
  await one.stop();
});

test('a new owner knows what was sent, and lets go what is held', async () => {
  const one = await cappedPerson();
  for (let n = 1; n <= 4; n++) await one.send('post.liked', 'a1', `post:p${n}`);
  await one.pass(60_000);
  await one.restart();
  await one.send('post.liked', 'a1', 'post:p5');
  await one.pass(60_000);
  assert.equal(one.push.taken.length, 2);
  await one.restart();
  await one.until('2026-03-10T13:30:00Z');
  assert.deepEqual(pushes(one), ['12:01:00 1', '12:01:00 1', '13:01:00 3']);
  await one.stop();
});

test('email that a cap has held comes as one, without waiting once more to be seen', async () => {
  const rules = { ...usualCaps, push: { hourMax: 1, dayMax: 1 }, email: { hourMax: 1, dayMax: 9 } };
  const one = await cappedPerson(rules);
  one.push.endpoint = 'none';
  for (let n = 1; n <= 3; n++) await one.send('group.invited', 'a1', `group:g${n}`);
  await one.until('2026-03-10T18:00:00Z');
  const mails = one.email.taken.map(({ tells, decidedAtMs }) => [new Date(decidedAtMs).toISOString(), tells.length]);
  assert.deepEqual(mails, [
    ['2026-03-10T16:00:00.000Z', 1],
    ['2026-03-10T17:00:00.000Z', 2],
  ]);
  await one.stop();
});

test('what is read while it is held is not in the summary; where all of it is, none comes', async () => {
  const one = await cappedPerson();
  for (let n = 1; n <= 4; n++) await one.send('post.liked', 'a1', `post:p${n}`);
  await one.pass(60_000);
  const held = (await one.items()).filter(({ decisions }) => decisions.some(({ reason }) => reason === 'cap'));
  assert.equal(held.length, 2);
  await one.mark({ kind: 'read', ids: held.slice(0, 1).map(({ id }) => id) });
  await one.until('2026-03-10T13:30:00Z');
  assert.deepEqual(pushes(one), ['12:01:00 1', '12:01:00 1', '13:01:00 1']);
  await one.send('post.liked', 'a1', 'post:p9');
  await one.pass(60_000);
  assert.equal(one.push.taken.length, 4, 'nothing waits any more, and there is room');
  await one.stop();
});

test('more than there is room for at the end of a pause comes as one', async () => {
  const one = await cappedPerson();
  await one.choose({ pausedUntil: '2026-03-10T13:00:00Z' });
  for (let n = 1; n <= 3; n++) await one.send('post.liked', 'a1', `post:p${n}`);
  await one.until('2026-03-10T14:00:00Z');
  assert.deepEqual(pushes(one), ['13:00:00 3']);
  await one.stop();
});

test('a push of what is capped and what is not, of one category, counts', async () => {
  const types = new Map(builtInSource().types);
  const liked = types.get('post.liked') ?? assert.fail();
  types.set('message.sent', { ...(types.get('message.sent') ?? assert.fail()), category: liked.category });
  const content = new LiveContent({ ...builtInSource(), types });
  const one = await TestPerson.start(undefined, content, { ...two, push: { hourMax: 1, dayMax: 9 } });
  await one.choose({ pausedUntil: '2026-03-10T13:00:00Z' });
  for (let n = 1; n <= 4; n++) await one.send('message.sent', 'a1', `message:m${n}`);
  await one.send('post.liked', 'a1', 'post:p1');
  await one.until('2026-03-10T13:00:00Z');
  assert.deepEqual(pushes(one), ['13:00:00 5'], 'of one category, and more than three');
  await one.send('post.liked', 'a1', 'post:p2');
  await one.pass(60_000);
  assert.match(await one.why('push'), /^hold cap/);
  await one.stop();
});
