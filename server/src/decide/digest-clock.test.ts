/** The hour of a digest: named cases, then all zones against clocks read minute by minute with another library. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Digest } from '@carillon/contract/preferences.ts';
import { weekdays } from '@carillon/contract/weekdays.ts';
import fc from 'fast-check';
import { type DigestPerson, digestDue, nextDigest } from './digest-clock.ts';
import { allZones, changeNear, wallClocks } from './test-wall-clock.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

const person = (digest: Digest, timeZone: string | null): DigestPerson => ({ digest, timeZone, lastDate: null });

/** The digests that a person gets between two times, each asked for once the one before is made. */
function digests({ digest, timeZone }: DigestPerson, from: string, to: string): string[] {
  const made: string[] = [];
  let lastDate: string | null = null;
  for (let afterMs = Date.parse(from); ; ) {
    const plan = nextDigest({ digest, timeZone, lastDate }, afterMs);
    if (plan === null || plan.atMs > Date.parse(to)) return made;
    made.push(new Date(plan.atMs).toISOString().replace(':00.000', ''));
    lastDate = plan.localDate;
    afterMs = plan.atMs;
  }
}

describe('a digest at the local hour', () => {
  it('that does not exist comes right after the gap (BC-24)', () => {
    const r1 = person({ email: 'daily', at: '02:30' }, 'America/New_York');
    assert.deepEqual(digests(r1, '2026-03-07T05:00Z', '2026-03-10T00:00Z'), [
      '2026-03-07T07:30Z',
      '2026-03-08T07:00Z',
      '2026-03-09T06:30Z',
    ]);
  });

  it('that happens twice comes at the first (BC-24)', () => {
    const r2 = person({ email: 'daily', at: '01:30' }, 'America/New_York');
    assert.deepEqual(digests(r2, '2026-10-31T04:00Z', '2026-11-03T00:00Z'), [
      '2026-10-31T05:30Z',
      '2026-11-01T05:30Z',
      '2026-11-02T06:30Z',
    ]);
  });

  it('on weekdays of the person, not of UTC (BC-24)', () => {
    const r3 = person({ email: 'weekdays', at: '08:00' }, 'Australia/Brisbane');
    assert.deepEqual(digests(r3, '2026-03-12T12:00Z', '2026-03-16T12:00Z'), ['2026-03-12T22:00Z', '2026-03-15T22:00Z']);
  });

  it('weekly, on the day that was chosen or else Monday', () => {
    const friday = person({ email: 'weekly', at: '18:00', weekday: 'fri' }, 'Europe/Berlin');
    assert.deepEqual(digests(friday, '2026-03-10T12:00Z', '2026-03-30T00:00Z'), [
      '2026-03-13T17:00Z',
      '2026-03-20T17:00Z',
      '2026-03-27T17:00Z',
    ]);
    const monday = person({ email: 'weekly' }, 'UTC');
    assert.deepEqual(digests(monday, '2026-03-10T12:00Z', '2026-03-17T00:00Z'), ['2026-03-16T08:00Z']);
  });

  it('none where there is none', () => {
    assert.equal(nextDigest(person({ email: 'off' }, 'UTC'), 0), null);
    assert.equal(nextDigest({ digest: undefined, timeZone: 'UTC', lastDate: null }, 0), null);
  });

  it('once for a date, also for who travels back into it', () => {
    const daily: Digest = { email: 'daily', at: '08:00' };
    const inAuckland = nextDigest(person(daily, 'Pacific/Auckland'), Date.parse('2026-03-10T12:00Z'));
    assert.equal(inAuckland?.localDate, '2026-03-11');
    const { atMs, localDate } = inAuckland as { atMs: number; localDate: string };
    const inHonolulu = nextDigest({ digest: daily, timeZone: 'Pacific/Honolulu', lastDate: localDate }, atMs);
    assert.equal(inHonolulu?.localDate, '2026-03-12');
  });

  it('in UTC where the zone is not known, which it says', () => {
    const plan = nextDigest(person({ email: 'daily' }, 'Mars/Olympus_Mons'), Date.parse('2026-03-10T12:00Z'));
    assert.deepEqual([plan?.atMs, plan?.isZoneKnown], [Date.parse('2026-03-11T08:00Z'), false]);
    assert.equal(nextDigest(person({ email: 'daily' }, null), 0)?.isZoneKnown, true);
  });
});

const digest: fc.Arbitrary<Digest> = fc.record({
  email: fc.constantFrom('daily', 'weekdays', 'weekly'),
  at: fc.integer({ min: 0, max: 95 }).map((quarter) => {
    const [hours, minutes] = [Math.floor(quarter / 4), (quarter % 4) * 15];
    return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
  }),
  weekday: fc.constantFrom(...weekdays),
});
const firstMs = Date.UTC(2024, 0, 1);
const lastMs = Date.UTC(2030, 11, 20);

it('every zone: the first moment of its date whose clock shows the hour or later, and none before it was due', () => {
  const instant = fc.record({
    zone: fc.constantFrom(...allZones),
    seconds: fc.integer({ min: firstMs / 1000, max: lastMs / 1000 }),
    beforeChangeMs: fc.option(fc.integer({ min: 0, max: 2 * day })),
  });
  fc.assert(
    fc.property(digest, instant, (chosen, { zone, seconds, beforeChangeMs }) => {
      const change = beforeChangeMs === null ? null : changeNear(zone, seconds * 1000);
      const afterMs = change === null || change > lastMs ? seconds * 1000 : change - (beforeChangeMs as number);
      const plan = nextDigest(person(chosen, zone), afterMs);
      assert.ok(plan !== null && plan.atMs > afterMs);
      const { atMs, localDate } = plan;
      const clockAt = wallClocks(zone);
      const [hours, minutes] = (chosen.at as string).split(':').map(Number) as [number, number];
      const wanted = hours * 60 + minutes;
      const localDay = Date.parse(`${localDate}T00:00Z`) / day;
      const isReached = (at: number): boolean => {
        const clock = clockAt(at);
        return clock.localDay > localDay || (clock.localDay === localDay && clock.minuteOfDay >= wanted);
      };
      assert.ok(isReached(atMs), 'the hour has come');
      for (let at = atMs - 15 * minute; at >= atMs - 26 * 60 * minute; at -= 15 * minute) {
        if (isReached(at)) assert.fail(`it had come at ${new Date(at).toISOString()} in ${zone}`);
      }
      assert.ok(!isReached(atMs - 1), 'and not before');
      const { weekday } = clockAt(atMs);
      if (chosen.email === 'weekdays') assert.ok(weekday < 5);
      if (chosen.email === 'weekly') assert.equal(weekdays[weekday], chosen.weekday);
      // No date between was passed over.
      const earliestDay = clockAt(afterMs).localDay;
      const reach = { daily: 1, weekdays: 3, weekly: 7, off: 0 }[chosen.email];
      assert.ok(localDay - earliestDay <= reach, `${localDay - earliestDay} days on`);
    }),
    { numRuns: 10_000 },
  );
});

it('every zone: due from its moment on for its date, once, and never before', () => {
  const instant = fc.record({
    zone: fc.constantFrom(...allZones),
    seconds: fc.integer({ min: firstMs / 1000, max: lastMs / 1000 }),
    lateMs: fc.integer({ min: 0, max: day - 2 * 60 * minute }),
  });
  fc.assert(
    fc.property(digest, instant, (chosen, { zone, seconds, lateMs }) => {
      const plan = nextDigest(person(chosen, zone), seconds * 1000);
      assert.ok(plan !== null);
      const { atMs, localDate } = plan;
      const before = digestDue(person(chosen, zone), atMs - 1);
      assert.ok(before === null || before < localDate);
      assert.equal(digestDue({ ...person(chosen, zone), lastDate: before }, atMs - 1), null);
      const after = digestDue(person(chosen, zone), atMs + lateMs);
      assert.ok(after !== null && after >= localDate);
      if (lateMs < 20 * 60 * minute) assert.equal(after, localDate);
      assert.equal(digestDue({ ...person(chosen, zone), lastDate: after }, atMs + lateMs), null);
    }),
    { numRuns: 10_000 },
  );
});
