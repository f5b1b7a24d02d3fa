/** What people chose, muted and ruled decides what reaches their inbox: lists, counts and frames alike (D2, D3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestPerson, t0 } from './test-person.ts';

test('what a person switched off in the app leaves no row; the exception for one type stays', async () => {
  const one = await TestPerson.start();
  await one.choose({ categories: { reactions: { inApp: false } }, types: { 'comment.liked': { inApp: true } } });
  await one.send('post.liked', 'a1', 'post:p1');
  await one.send('comment.liked', 'a1', 'comment:c1');
  await one.send('security.alert', '', 'login:l1');
  assert.deepEqual(await one.shown(), ['security.alert l1 ', 'comment.liked c1 a1']);
  assert.equal(await one.unread(), 2);
  assert.deepEqual(one.reasons, ['categoryPreference', 'default', 'default']);
  await one.choose({});
  await one.send('post.liked', 'a2', 'post:p1');
  assert.deepEqual((await one.shown())[0], 'post.liked p1 a2');
  await one.stop();
});

test('BC-29: a mute of an actor, a thread or a word holds from the next event on, for list, count and stream', async () => {
  const one = await TestPerson.start();
  await one.change({ kind: 'mute', mute: { kind: 'object', id: 'post:p1', untilMs: null } });
  await one.change({ kind: 'mute', mute: { kind: 'word', id: 'spoiler', untilMs: null } });
  await one.send('comment.created', 'a2', 'comment:c1', {
    object: { kind: 'comment', id: 'c1', parent: { kind: 'post', id: 'p1', owner: 'r1' } },
  });
  await one.send('comment.created', 'a3', 'comment:c2', {
    object: { kind: 'comment', id: 'c2', title: 'A Spoiler!', parent: { kind: 'post', id: 'p2', owner: 'r1' } },
  });
  await one.change({ kind: 'mute', mute: { kind: 'actor', id: 'a4', untilMs: t0 + 60_000 } });
  await one.send('post.liked', 'a4', 'post:p3');
  assert.deepEqual(await one.shown(), []);
  assert.equal(await one.unread(), 0);
  assert.equal(one.framesNaming('"a4"'), 0);
  assert.deepEqual(one.reasons, ['mutedObject', 'mutedWord', 'mutedActor']);
  one.clock.advance(60_000);
  await one.send('post.liked', 'a4', 'post:p3');
  assert.deepEqual(await one.shown(), ['post.liked p3 a4'], 'a mute ends when it says');
  await one.stop();
});

test('rules for people one does not follow, and who do not follow one, go by who follows whom', async () => {
  const one = await TestPerson.start();
  await one.choose({ relations: { notFollowed: 'filter', notFollowing: 'drop' } });
  await one.follow('fan', 'r1');
  await one.follow('friend', 'r1');
  await one.follow('r1', 'friend');
  await one.send('post.liked', 'friend', 'post:p1');
  await one.send('post.liked', 'fan', 'post:p1');
  await one.send('post.liked', 'stranger', 'post:p1');
  assert.deepEqual(await one.shown(), ['post.liked p1 friend']);
  assert.deepEqual(await one.shown('filtered'), ['post.liked p1 fan']);
  assert.deepEqual(one.reasons, ['default', 'relation', 'relation']);
  await one.stop();
});

test('what a rule keeps apart is in the filtered view alone: not listed, not counted, not streamed, and undone there', async () => {
  const one = await TestPerson.start();
  await one.choose({ relations: { newAccounts: 'filter' } });
  const facts = { locale: null, timeZone: null, email: null, emailVerified: false, suspended: false };
  await one.change({ kind: 'facts', facts: { ...facts, createdAtMs: t0 - 86_400_000 } }, 'new');
  await one.change({ kind: 'facts', facts: { ...facts, createdAtMs: t0 - 86_400_000 * 365 } }, 'old');
  await one.send('post.liked', 'old', 'post:p1', { seq: 1 });
  await one.send('post.liked', 'new', 'post:p1', { seq: 1 });
  await one.send('message.sent', 'new', 'message:m1');
  assert.deepEqual(await one.shown(), ['post.liked p1 old']);
  assert.deepEqual(await one.shown('filtered'), ['message.sent m1 new', 'post.liked p1 new']);
  assert.equal(await one.unread(), 1);
  assert.equal(one.framesNaming('"new"'), 0);
  assert.deepEqual(one.reasons, ['default', 'relation', 'relation']);
  await one.send('post.unliked', 'new', 'post:p1', { seq: 2 });
  assert.deepEqual(await one.shown('filtered'), ['message.sent m1 new']);
  assert.equal(await one.unread(), 1);
  await one.send('post.liked', 'new', 'post:p1', { seq: 3 });
  assert.deepEqual(await one.shown('filtered'), ['message.sent m1 new', 'post.liked p1 new'], 'back where it was');
  await one.stop();
});
