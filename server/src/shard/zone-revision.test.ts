/**
 * What is planned with other rules of zones is planned anew (D7, D10, BC-24). Rules do not change within a test: that the
 * person's zone is another one, which nobody told the plans, stands for it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weekdays } from '@carillon/contract/weekdays.ts';
import { TestPerson } from './test-person.ts';

const nightly = {
  enabled: true,
  days: Object.fromEntries(weekdays.map((day) => [day, [{ from: '22:00', to: '08:00' }]])),
};
const times = (taken: TestPerson['push']['taken']): string[] =>
  taken.map(({ decidedAtMs, tells }) => `${new Date(decidedAtMs).toISOString().slice(8, 16)} ${tells.length}`);

/** Holds two messages over the night, and a comment for a digest. */
async function nightIn(timeZone: string): Promise<TestPerson> {
  const one = await TestPerson.start('2026-03-10T23:00:00Z');
  await one.choose({ timeZone, quietHours: nightly, digest: { email: 'daily', at: '09:00' } });
  await one.send('message.sent', 'a1', 'message:m1');
  await one.send('message.sent', 'a1', 'message:m2');
  await one.pass(60_000);
  return one;
}

const moveTo = (one: TestPerson, timeZone: string): Promise<void> =>
  one.choose({ timeZone, quietHours: nightly, digest: { email: 'daily', at: '09:00' } });

test('an end that is later, or earlier, by the new rules is when it is told', async () => {
  const later = await nightIn('Europe/Berlin');
  await moveTo(later, 'Europe/London');
  await later.restart('2026f');
  await later.pass(0);
  assert.match(await later.why('push'), /^hold quietHours 2026-03-11T08:00/);
  assert.match(await later.why('email'), /^hold digest 2026-03-11T09:00/);
  await later.until('2026-03-12T00:00:00Z');
  assert.deepEqual([times(later.push.taken), times(later.email.taken)], [['11T08:00 1', '11T08:00 1'], ['11T09:00 2']]);
  await later.stop();

  const earlier = await nightIn('Europe/Berlin');
  await moveTo(earlier, 'Europe/Athens');
  await earlier.restart('2026f');
  await earlier.until('2026-03-12T00:00:00Z');
  assert.deepEqual(times(earlier.push.taken), ['11T06:00 1', '11T06:00 1']);
  assert.deepEqual(times(earlier.email.taken), ['11T07:00 2']);
  await earlier.stop();
});

test('what is not quiet any more by the new rules is told at once; a digest is never made by planning anew', async () => {
  const one = await nightIn('Europe/Berlin');
  await moveTo(one, 'America/New_York');
  await one.restart('2026f');
  await one.pass(0);
  assert.equal(one.push.taken.length, 2);
  assert.equal(one.email.taken.length, 0);
  await one.until('2026-03-12T00:00:00Z');
  assert.deepEqual(times(one.email.taken), ['11T13:00 2']);
  await one.stop();
});

test('it happens once, and not where the rules are the same', async () => {
  const one = await nightIn('Europe/Berlin');
  await moveTo(one, 'Europe/Athens');
  await one.restart();
  await one.pass(0);
  assert.match(await one.why('push'), /^hold quietHours 2026-03-11T07:00/, 'the same rules');
  await one.restart('2026f');
  await one.pass(0);
  assert.match(await one.why('push'), /^hold quietHours 2026-03-11T06:00/);
  assert.equal(await one.timers.zones(0), '2026f');
  await one.restart('2026f');
  await one.until('2026-03-12T00:00:00Z');
  assert.deepEqual(times(one.push.taken), ['11T06:00 1', '11T06:00 1']);
  await one.stop();
});
