/** What leaves by push and email, when, and how often: windows, quiet hours, pauses, crashes in between (D6, D7, D10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weekdays } from '@carillon/contract/weekdays.ts';
import { builtInSource } from '../content/catalogue-source.ts';
import { LiveContent } from '../content/live-content.ts';
import { TestPerson } from './test-person.ts';

const nightly = (from: string, to: string) => ({
  enabled: true,
  days: Object.fromEntries(weekdays.map((day) => [day, [{ from, to }]])),
});

/** Object ids of what was pushed, each push on its own. */
async function pushed(one: TestPerson): Promise<string[]> {
  const objects = new Map((await one.items()).map(({ id, object }) => [id, object.id]));
  return one.push.taken.map(({ tells }) => tells.map(({ notification }) => objects.get(notification) ?? '?').join('+'));
}

test('BC-14: likes at the same moment are one group and one push, at the end of the window', async () => {
  const one = await TestPerson.start();
  for (let round = 0; round < 200; round++) {
    await one.send('post.liked', 'a1', `post:p${round}`);
    await one.send('post.liked', 'a2', `post:p${round}`);
  }
  await one.pass(59_999);
  assert.equal(one.push.taken.length, 0);
  assert.match(await one.why('push'), /^hold window 2026-03-10T12:01:00.000Z$/);
  await one.pass(1);
  assert.equal(one.push.taken.length, 200);
  assert.equal(new Set(one.push.taken.flatMap(({ tells }) => tells.map(({ notification }) => notification))).size, 200);
  assert.equal(await one.why('push'), 'send default');
  await one.pass(3_600_000);
  assert.equal(one.push.taken.length, 200, 'and no more');
  await one.stop();
});

test('BC-15: a window whose send fails, or whose owner goes, is sent once all the same', async () => {
  const one = await TestPerson.start();
  await one.send('post.liked', 'a1', 'post:p1');
  await one.restart();
  await one.send('post.liked', 'a2', 'post:p1');
  await one.send('post.liked', 'a3', 'post:p1');
  one.push.failures = 3;
  await one.pass(120_000);
  assert.equal(one.push.failures, -1, 'given again until it was taken');
  await one.restart();
  await one.pass(120_000);
  assert.deepEqual(await pushed(one), ['p1']);
  assert.equal((await one.items())[0]?.actorCount, 3);
  await one.stop();
});

test('BC-17: like, unlike, like again makes one push, and none within 24 h of it', async () => {
  const one = await TestPerson.start();
  let seq = 0;
  const toggle = (type: string) => one.send(type, 'a1', 'post:p1', { seq: ++seq });
  for (let flip = 0; flip < 21; flip++) {
    await toggle(flip % 2 === 0 ? 'post.liked' : 'post.unliked');
    await one.pass(2300);
  }
  await one.pass(90_000 - 21 * 2300);
  assert.deepEqual(await pushed(one), ['p1']);
  assert.equal(await one.unread(), 1);
  const through = (await one.items())[0]?.revision ?? 0;
  await one.mark({ kind: 'read', through });
  await one.pass(30_000);
  await toggle('post.unliked');
  await one.pass(1000);
  await toggle('post.liked');
  assert.deepEqual(await one.shown(), ['post.liked p1 a1']);
  assert.equal(await one.unread(), 0);
  await one.pass(79_000);
  await toggle('post.unliked');
  await one.pass(3_600_000);
  assert.deepEqual(await one.shown(), []);
  assert.equal(one.push.taken.length, 1);
  await one.stop();
});

test('BC-20: an unlike before the end of the window leaves nothing to push; one after it takes nothing back twice', async () => {
  const one = await TestPerson.start();
  for (let round = 0; round < 100; round++) {
    await one.send('post.liked', 'a1', `post:p${round}`, { seq: 1 });
    await one.pass(59_998);
    await one.send('post.unliked', 'a1', `post:p${round}`, { seq: 2 });
    await one.pass(2 + 26);
  }
  assert.equal(one.push.taken.length, 0);
  assert.deepEqual(await one.shown(), []);
  assert.equal(await one.unread(), 0);
  await one.stop();
});

test('BC-21: what comes after a window opens the next one; what comes while it ends is in one', async () => {
  const one = await TestPerson.start();
  await one.send('post.liked', 'a1', 'post:p1');
  await one.pass(70_000);
  assert.equal(one.push.taken.length, 1);
  await one.send('post.liked', 'a9', 'post:p1');
  for (let actor = 10; actor < 20; actor++) await one.send('post.liked', `a${actor}`, 'post:p1');
  await one.pass(59_999);
  assert.equal(one.push.taken.length, 1);
  await one.pass(1);
  assert.deepEqual(await pushed(one), ['p1', 'p1']);
  await one.stop();
});

test('what leads a window and was held is told when it is let go, and who came after it at the end of the window', async () => {
  const types = new Map(builtInSource().types);
  const liked = types.get('post.liked') ?? assert.fail();
  types.set('post.liked', { ...liked, notify: 'leading' });
  const one = await TestPerson.start('2026-03-11T02:29:40Z', new LiveContent({ ...builtInSource(), types }));
  await one.choose({ timeZone: 'Asia/Kolkata', quietHours: nightly('22:00', '08:00') });
  await one.send('post.liked', 'a1', 'post:p1');
  await one.until('2026-03-11T02:30:00Z');
  assert.deepEqual(await pushed(one), ['p1']);
  await one.pass(10_000);
  await one.send('post.liked', 'a2', 'post:p1');
  await one.pass(30_000);
  assert.deepEqual(
    one.push.taken.map(({ tells }) => tells.map(({ number }) => number)),
    [[1], [2]],
  );
  await one.stop();
});

test('what is told at once is sent at once, each by itself', async () => {
  const one = await TestPerson.start();
  await one.send('message.sent', 'a1', 'message:m1');
  await one.send('message.sent', 'a1', 'message:m2');
  await one.pass(0);
  assert.deepEqual(await pushed(one), ['m1', 'm2']);
  await one.stop();
});

test('BC-22: what comes in quiet hours over midnight in a half-hour zone is held to their end; the inbox has it at once', async () => {
  const one = await TestPerson.start();
  await one.choose({ timeZone: 'Asia/Kolkata', quietHours: nightly('22:00', '08:00') });
  const arrivals: [string, string][] = [];
  for (const [index, time] of ['16:29:59.000', '16:30:00.000', '16:45:00.000'].entries()) {
    await one.until(`2026-03-10T${time}Z`);
    await one.send('message.sent', 'a1', `message:m${index + 1}`);
    await one.pass(0);
    arrivals.push([time, await one.why('push')]);
  }
  assert.deepEqual(
    arrivals.map(([, why]) => why),
    ['send default', 'hold quietHours 2026-03-11T02:30:00.000Z', 'hold quietHours 2026-03-11T02:30:00.000Z'],
  );
  assert.equal(await one.unread(), 3);
  await one.until('2026-03-11T02:29:59.999Z');
  await one.send('message.sent', 'a1', 'message:m4');
  assert.deepEqual(await pushed(one), ['m1']);
  await one.until('2026-03-11T02:30:00.000Z');
  await one.send('message.sent', 'a1', 'message:m5');
  await one.pass(0);
  assert.deepEqual((await pushed(one)).sort(), ['m1', 'm2', 'm3', 'm4', 'm5']);
  await one.stop();
});

test('BC-26: what was held is let go in at most three pushes, without what was read meanwhile, over restarts', async () => {
  const one = await TestPerson.start();
  await one.choose({ timeZone: 'Asia/Kolkata', quietHours: nightly('22:00', '08:00') });
  await one.until('2026-03-10T18:00:00Z');
  for (let n = 1; n <= 20; n++) await one.send('comment.liked', `a${n}`, `comment:l${n}`);
  for (let n = 1; n <= 10; n++) await one.send('mention.created', `b${n}`, `comment:c${n}`);
  for (let n = 1; n <= 7; n++) await one.send('message.sent', `f${n}`, `message:m${n}`);
  await one.until('2026-03-11T01:00:00Z');
  const mentions = (await one.items()).filter(({ type }) => type === 'mention.created').slice(0, 5);
  await one.mark({ kind: 'read', ids: mentions.map(({ id }) => id) });
  await one.until('2026-03-11T02:29:00Z');
  assert.equal(one.push.taken.length, 0);
  await one.restart();
  await one.until('2026-03-11T02:30:00Z');
  await one.restart();
  await one.until('2026-03-11T02:31:00Z');
  await one.restart();
  await one.pass(3_600_000);
  const covered = one.push.taken.flatMap(({ tells }) => tells.map(({ notification }) => notification));
  assert.ok(one.push.taken.length <= 3, `${one.push.taken.length} pushes`);
  assert.equal(covered.length, 32);
  assert.equal(new Set(covered).size, 32);
  assert.ok(mentions.every(({ id }) => !covered.includes(id)));
  assert.equal((await one.items()).length, 37);
  await one.stop();
});

test('whoever has no device is not waited for: no window, no timer, no bytes in the row', async () => {
  const one = await TestPerson.start();
  one.push.endpoint = 'none';
  one.email.endpoint = 'none';
  await one.send('post.liked', 'a1', 'post:p1');
  assert.equal(await one.timers.nextDueMs(0), null);
  await one.pass(3_600_000);
  assert.equal(one.push.taken.length + one.email.taken.length, 0);
  await one.stop();
});

test('a pause holds everything but what is critical, and lets go at its end', async () => {
  const one = await TestPerson.start();
  await one.choose({ pausedUntil: '2026-03-10T13:00:00Z' });
  await one.send('message.sent', 'a1', 'message:m1');
  await one.send('security.alert', '', 'login:l1');
  await one.pass(0);
  assert.deepEqual(await pushed(one), ['l1']);
  await one.until('2026-03-10T13:00:00Z');
  assert.deepEqual(await pushed(one), ['l1', 'm1']);
  await one.stop();
});

test('email comes only where it stays unseen', async () => {
  const one = await TestPerson.start();
  await one.send('comment.created', 'a1', 'comment:c1');
  await one.send('comment.created', 'a2', 'comment:c2');
  await one.pass(61_000);
  const seen = (await one.items()).find(({ object }) => object.id === 'c1')?.id;
  assert.equal(one.email.taken.length, 0);
  if (seen !== undefined) await one.mark({ kind: 'read', ids: [seen] });
  await one.pass(24 * 3_600_000);
  const objects = new Map((await one.items()).map(({ id, object }) => [id, object.id]));
  assert.deepEqual(
    one.email.taken.flatMap(({ tells }) => tells.map(({ notification }) => objects.get(notification))),
    ['c2'],
  );
  await one.stop();
});

/** When mails were made, and how many rows each tells of. */
function mails(one: TestPerson): string[] {
  return one.email.taken.map(({ decidedAtMs, tells }) => `${new Date(decidedAtMs).toISOString()} ${tells.length}`);
}

async function dailyUntil(one: TestPerson, begin: string, days: number): Promise<void> {
  await one.until(begin);
  for (let day = 0; day < days; day++) {
    await one.send('comment.created', 'a1', `comment:c${day}`);
    await one.pass(24 * 3_600_000);
  }
}

test('BC-24: a digest comes once for each local date, also where the hour is missing or comes twice', async () => {
  const gap = await TestPerson.start('2026-03-06T18:00:00Z');
  await gap.choose({ timeZone: 'America/New_York', digest: { email: 'daily', at: '02:30' } });
  await dailyUntil(gap, '2026-03-06T18:00:00Z', 3);
  assert.deepEqual(mails(gap), [
    '2026-03-07T07:30:00.000Z 1',
    '2026-03-08T07:00:00.000Z 1',
    '2026-03-09T06:30:00.000Z 1',
  ]);
  await gap.stop();

  const twice = await TestPerson.start('2026-10-30T18:00:00Z');
  await twice.choose({ timeZone: 'America/New_York', digest: { email: 'daily', at: '01:30' } });
  await dailyUntil(twice, '2026-10-30T18:00:00Z', 3);
  assert.deepEqual(mails(twice), [
    '2026-10-31T05:30:00.000Z 1',
    '2026-11-01T05:30:00.000Z 1',
    '2026-11-02T06:30:00.000Z 1',
  ]);
  await twice.stop();

  const weekdays = await TestPerson.start('2026-03-12T12:00:00Z');
  await weekdays.choose({ timeZone: 'Australia/Brisbane', digest: { email: 'weekdays', at: '08:00' } });
  await dailyUntil(weekdays, '2026-03-12T12:00:00Z', 4);
  assert.deepEqual(mails(weekdays), ['2026-03-12T22:00:00.000Z 1', '2026-03-15T22:00:00.000Z 3']);
  await weekdays.stop();
});

test('BC-27: an item that waits for a digest follows what the person wants when it is made', async () => {
  const one = await TestPerson.start();
  await one.choose({ digest: { email: 'daily', at: '08:00' } });
  await one.send('comment.created', 'a1', 'comment:c1');
  await one.pass(0);
  await one.choose({ digest: { email: 'daily', at: '08:00' }, channels: { email: false } });
  await one.until('2026-03-11T08:00:00Z');
  assert.deepEqual(mails(one), []);
  assert.deepEqual(await one.shown(), ['comment.created c1 a1']);

  await one.choose({ digest: { email: 'daily', at: '08:00' } });
  await one.send('comment.created', 'a1', 'comment:c2');
  await one.pass(3_600_000);
  await one.choose({ digest: { email: 'daily', at: '08:00' }, channels: { email: false } });
  await one.pass(3_600_000);
  await one.choose({ digest: { email: 'daily', at: '08:00' } });
  await one.until('2026-03-12T08:00:00Z');
  await one.pass(48 * 3_600_000);
  assert.deepEqual(mails(one), ['2026-03-12T08:00:00.000Z 1'], 'off and on again: once');
  await one.stop();
});

test('D11: what a person muted, archived or snoozed meanwhile does not leave, nor anything to a suspended account', async () => {
  const one = await TestPerson.start();
  await one.send('post.liked', 'a1', 'post:p1');
  await one.send('post.liked', 'a2', 'post:p2');
  await one.send('post.liked', 'a1', 'post:p3');
  await one.send('post.liked', 'a3', 'post:p3');
  await one.change({ kind: 'mute', mute: { kind: 'actor', id: 'a1', untilMs: null } });
  const archived = (await one.items()).find(({ object }) => object.id === 'p2')?.id;
  if (archived !== undefined) await one.mark({ kind: 'archive', ids: [archived] });
  await one.pass(60_000);
  assert.deepEqual(await pushed(one), ['p3'], 'one of two is muted: the row is still told');
  const facts = { locale: null, timeZone: null, email: null, emailVerified: false, createdAtMs: null };
  await one.change({ kind: 'facts', facts: { ...facts, suspended: true } });
  await one.send('message.sent', 'a5', 'message:m1');
  await one.pass(0);
  assert.deepEqual(await pushed(one), ['p3']);
  assert.equal(await one.why('push'), 'skip suppressed');
  await one.stop();
});

test('F3: whoever asked to be pushed for an author is, also when it waits for the morning; others are not, nor against a choice', async () => {
  const one = await TestPerson.start('2026-03-10T23:30:00Z');
  const post = (id: string, notify: boolean) => one.fanOut('post.published', 'a1', `post:${id}`, { notify });
  await post('p1', false);
  assert.equal(await one.why('push'), 'skip default');
  await post('p2', true);
  await one.pass(1000);
  assert.deepEqual(await pushed(one), ['p2']);
  await one.choose({ quietHours: nightly('22:00', '07:00') });
  await post('p3', true);
  await one.restart();
  assert.match(await one.why('push'), /^hold quietHours/);
  await one.pass(9 * 3_600_000);
  assert.deepEqual(await pushed(one), ['p2', 'p3']);
  await one.choose({ types: { 'post.published': { push: false } } });
  await post('p4', true);
  await one.pass(1000);
  assert.equal(one.push.taken.length, 2);
  await one.stop();
});

test('BC-24: who travels has one digest for each local date, at the hour of where they are', async () => {
  const west = await TestPerson.start('2026-03-10T00:00:00Z');
  await west.choose({ timeZone: 'Europe/Berlin', digest: { email: 'daily', at: '08:00' } });
  await west.send('comment.created', 'a1', 'comment:c1');
  await west.until('2026-03-10T09:00:00Z');
  await west.choose({ timeZone: 'America/New_York', digest: { email: 'daily', at: '08:00' } });
  await west.send('comment.created', 'a1', 'comment:c2');
  await west.until('2026-03-12T00:00:00Z');
  assert.deepEqual(mails(west), ['2026-03-10T07:00:00.000Z 1', '2026-03-11T12:00:00.000Z 1']);
  await west.stop();

  const early = await TestPerson.start('2026-03-10T00:00:00Z');
  await early.choose({ timeZone: 'Europe/Berlin', digest: { email: 'daily', at: '08:00' } });
  await early.send('comment.created', 'a1', 'comment:c0');
  await early.until('2026-03-10T22:00:00Z');
  await early.send('comment.created', 'a1', 'comment:c1');
  await early.choose({ timeZone: 'America/New_York', digest: { email: 'daily', at: '08:00' } });
  await early.restart();
  await early.until('2026-03-12T00:00:00Z');
  assert.deepEqual(mails(early), ['2026-03-10T07:00:00.000Z 1', '2026-03-11T12:00:00.000Z 1'], 'before its hour');
  await early.stop();

  const east = await TestPerson.start('2026-03-10T00:00:00Z');
  await east.choose({ timeZone: 'Europe/Berlin', digest: { email: 'daily', at: '08:00' } });
  await east.send('comment.created', 'a1', 'comment:c0');
  await east.until('2026-03-11T01:00:00Z');
  await east.send('comment.created', 'a1', 'comment:c1');
  await east.pass(120_000);
  await east.choose({ timeZone: 'Asia/Tokyo', digest: { email: 'daily', at: '08:00' } });
  await east.until('2026-03-11T09:00:00Z');
  assert.deepEqual(mails(east), ['2026-03-10T07:00:00.000Z 1', '2026-03-11T07:00:00.000Z 1'], 'no date is left out');
  await east.stop();
});

test('a digest whose hour was changed is made at the new one, and the date counts once', async () => {
  const one = await TestPerson.start('2026-03-10T00:00:00Z');
  await one.choose({ digest: { email: 'daily', at: '08:00' } });
  await one.send('comment.created', 'a1', 'comment:c1');
  await one.choose({ digest: { email: 'daily', at: '18:00' } });
  await one.until('2026-03-10T18:30:00Z');
  await one.choose({ digest: { email: 'daily', at: '20:00' } });
  await one.send('comment.created', 'a1', 'comment:c2');
  await one.until('2026-03-12T00:00:00Z');
  assert.deepEqual(mails(one), ['2026-03-10T18:00:00.000Z 1', '2026-03-11T20:00:00.000Z 1']);
  await one.stop();
});
