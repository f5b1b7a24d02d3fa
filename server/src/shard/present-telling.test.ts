/** Who looks at the app is not pushed to, but for what is pushed always: asked when it is decided and before it leaves (D10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { builtInSource } from '../content/catalogue-source.ts';
import { LiveContent } from '../content/live-content.ts';
import { TestPerson } from './test-person.ts';

const r1 = personKey('default', 'r1');

test('who looks is told in the app alone; who looks no more is pushed to', async () => {
  const one = await TestPerson.start();
  one.looking.visible(r1);
  await one.send('message.sent', 'a1', 'message:m1');
  assert.equal(await one.why('push'), 'skip present');
  await one.pass(60_000);
  assert.equal(one.push.taken.length, 0);
  one.looking.hidden(r1);
  await one.pass(9000);
  await one.send('message.sent', 'a1', 'message:m2');
  assert.equal(await one.why('push'), 'skip present');
  await one.pass(1000);
  await one.send('message.sent', 'a1', 'message:m3');
  await one.pass(0);
  assert.equal(await one.why('push'), 'send default');
  assert.equal(one.push.taken.length, 1);
  await one.stop();
});

test('a window that opens while the person looks is told at its end if they look no more, and the other way round', async () => {
  const one = await TestPerson.start();
  one.looking.visible(r1);
  await one.send('post.liked', 'a1', 'post:p1');
  assert.match(await one.why('push'), /^hold window/);
  one.looking.gone(r1);
  await one.pass(60_000);
  assert.equal(one.push.taken.length, 1);
  await one.send('post.liked', 'a1', 'post:p2');
  one.looking.visible(r1);
  await one.pass(60_000);
  assert.equal(await one.why('push'), 'skip present');
  assert.equal(one.push.taken.length, 1);
  await one.stop();
});

test('who leaves between the decision and the push is pushed to, where anything was to leave at all', async () => {
  const one = await TestPerson.start();
  await one.choose({ pausedUntil: '2026-03-10T13:00:00Z' });
  await one.send('message.sent', 'a1', 'message:m1');
  one.looking.visible(r1);
  await one.until('2026-03-10T13:00:00Z');
  assert.equal(await one.why('push'), 'skip present');
  assert.equal(one.push.taken.length, 0);
  await one.stop();
});

test('email does not care who looks, and a type may push always', async () => {
  const types = new Map(builtInSource().types);
  const sent = types.get('message.sent') ?? assert.fail();
  types.set('message.sent', { ...sent, pushAlways: true, email: 'immediate' });
  const one = await TestPerson.start(undefined, new LiveContent({ ...builtInSource(), types }));
  one.looking.visible(r1);
  await one.send('message.sent', 'a1', 'message:m1');
  await one.pass(0);
  assert.deepEqual([one.push.taken.length, one.email.taken.length], [1, 1]);
  await one.stop();
});

test('what would happen is told with the person looking', async () => {
  const one = await TestPerson.start();
  one.looking.visible(r1);
  const { decisions } = await one.simulate('message.sent', 'a1', 'message:m1');
  assert.equal(decisions.find(({ channel }) => channel === 'push')?.reason, 'present');
  await one.stop();
});
