/** What-if answers as the shard then decides, and changes nothing (D12). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestPerson } from './test-person.ts';

test('what would happen is what then happens, and asking leaves no trace', async () => {
  const one = await TestPerson.start();
  await one.choose({ types: { 'post.liked': { push: false } }, locale: 'de', timeZone: 'Europe/Berlin' });
  await one.change({ kind: 'mute', mute: { kind: 'actor', id: 'a4', untilMs: null } });
  const before = await one.items();
  const liked = await one.simulate('post.liked', 'a1', 'post:p1');
  assert.deepEqual([liked.tells, liked.reason, liked.locale, liked.timeZone], [true, 'default', 'de', 'Europe/Berlin']);
  assert.deepEqual(liked.decisions.map(({ channel, kind, reason }) => `${channel} ${kind} ${reason}`).slice(0, 2), [
    'inApp send default',
    'push skip preference',
  ]);
  const muted = await one.simulate('post.liked', 'a4', 'post:p1');
  assert.deepEqual([muted.tells, muted.reason, muted.decisions[0]?.kind], [false, 'mutedActor', 'skip']);
  assert.ok(muted.decisions.every(({ kind, reason }) => kind === 'skip' && reason === 'mutedActor'));
  assert.deepEqual(await one.items(), before);
  assert.equal(await one.timers.nextDueMs(0), null);

  await one.send('post.liked', 'a1', 'post:p1');
  assert.equal(await one.why('push'), 'skip preference');
  const again = await one.simulate('post.liked', 'a1', 'post:p1');
  assert.deepEqual([again.tells, again.reason], [false, 'duplicate'], 'with what happened since');
  await one.stop();
});
