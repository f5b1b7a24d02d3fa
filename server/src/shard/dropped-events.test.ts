/** Why nothing came can be told for events that left no row, over restarts, of the last few (D1, D12). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { TestPerson, t0 } from './test-person.ts';

const r1 = personKey('default', 'r1');

const logged = async (one: TestPerson): Promise<string[]> =>
  (await one.decisions()).map(({ id, type, notification, decisions }) => {
    const inApp = decisions.find(({ channel }) => channel === 'inApp');
    return `${id} ${type} ${notification === null ? 'no row' : 'row'} ${inApp?.kind} ${inApp?.reason}`;
  });

test('a mute, a choice, oneself and a repetition each say why, beside rows, newest first', async () => {
  const one = await TestPerson.start();
  await one.change({ kind: 'mute', mute: { kind: 'actor', id: 'a1', untilMs: null } });
  await one.choose({ types: { 'post.reposted': { inApp: false } } });
  const events = [
    ['post.liked', 'a1'],
    ['post.liked', 'r1'],
    ['post.reposted', 'a2'],
    ['post.liked', 'a3'],
    ['post.unreacted', 'a4'],
  ] as const;
  for (const [type, actor] of events) {
    await one.send(type, actor, 'post:p1');
    await one.pass(1000);
  }
  const expected = [
    'e4 post.liked row send default',
    'e3 post.reposted no row skip preference',
    'e2 post.liked no row skip self',
    'e1 post.liked no row skip mutedActor',
  ];
  assert.deepEqual((await logged(one)).slice(1), expected);
  await one.restart();
  assert.deepEqual((await logged(one)).slice(1), expected);
  const [only] = await one.decisions('e1');
  assert.deepEqual(
    only?.decisions.map(({ channel, reason }) => `${channel} ${reason}`),
    ['inApp mutedActor', 'push mutedActor', 'email mutedActor'],
  );
  assert.ok(only?.decisions.every(({ text }) => text !== ''));
  await one.stop();
});

test('of very many the last are kept, also of one micro-batch and over a restart', async () => {
  const one = await TestPerson.start();
  await one.change({ kind: 'mute', mute: { kind: 'actor', id: 'a1', untilMs: null } });
  const many = Array.from({ length: 3 * limits.droppedKept }, (_, n) => ['post.liked', 'a1', `post:p${n}`] as const);
  await one.sendTogether(many.map((each) => [...each]));
  const kept = (await logged(one)).map((text) => Number(text.slice(1, text.indexOf(' '))));
  assert.deepEqual(
    kept.toSorted((a, b) => a - b),
    Array.from({ length: limits.droppedKept }, (_, n) => 65 + n),
  );
  await one.restart();
  await one.send('post.liked', 'a1', 'post:last');
  assert.equal((await logged(one)).length, limits.droppedKept);
  assert.equal((await one.decisions('e97')).length, 1);
  await one.stop();
});

test('an event that was decided again after a crash, and so lies in two slots, is told of once', async () => {
  const one = await TestPerson.start();
  await one.send('post.liked', 'r1', 'post:p1');
  const [text = ''] = await one.store.dropped(r1);
  const again = [0, 1, 2].map((slot) => ({ slot, text, decidedAtMs: t0 }));
  await one.store.write(0, [{ person: r1, items: [], members: [], deepRevision: null, dropped: again }], [0, 0, 0]);
  assert.ok((await one.store.dropped(r1)).length > 2);
  assert.deepEqual(await logged(one), ['e1 post.liked no row skip self']);
  await one.stop();
});
