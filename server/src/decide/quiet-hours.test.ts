/** Quiet hours: named cases, then all zones against clocks read minute by minute with another library. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QuietHours, QuietSpan } from '@carillon/contract/preferences.ts';
import { type Weekday, weekdays } from '@carillon/contract/weekdays.ts';
import fc from 'fast-check';
import { quietAt, quietSpans, stillHolds } from './quiet-hours.ts';
import { allZones, changeNear, wallClocks } from './test-wall-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const everyDay = (from: string, to: string): QuietHours => ({
  enabled: true,
  days: Object.fromEntries(weekdays.map((weekday) => [weekday, [{ from, to }]])),
});
const onDays = (days: Partial<Record<Weekday, QuietSpan[]>>): QuietHours => ({ enabled: true, days });

/** When the quiet that holds at this time ends, or null. */
function until(quietHours: QuietHours | undefined, zone: string | null, at: string): string | null {
  const { untilMs } = quietAt(quietSpans(quietHours), zone, Date.parse(at));
  return untilMs === null ? null : new Date(untilMs).toISOString().replace('.000', '');
}

describe('quiet hours', () => {
  it('over midnight in a half-hour zone (BC-22)', () => {
    const untilIn = (at: string) => until(everyDay('22:00', '08:00'), 'Asia/Kolkata', at);
    assert.equal(untilIn('2026-03-10T16:29:59Z'), null);
    assert.equal(untilIn('2026-03-10T16:30:00Z'), '2026-03-11T02:30:00Z');
    assert.equal(untilIn('2026-03-10T16:45:00Z'), '2026-03-11T02:30:00Z');
    assert.equal(untilIn('2026-03-11T02:29:59.999Z'), '2026-03-11T02:30:00Z');
    assert.equal(untilIn('2026-03-11T02:30:00Z'), null);
  });

  it('a span from a time to itself is none, never always (BC-22)', () => {
    assert.equal(until(everyDay('08:00', '08:00'), 'Asia/Kolkata', '2026-03-10T16:45:00Z'), null);
  });

  it('none, switched off, or of another day: not quiet', () => {
    assert.equal(until(undefined, 'UTC', '2026-03-10T23:00:00Z'), null);
    assert.equal(until({ ...everyDay('22:00', '08:00'), enabled: false }, 'UTC', '2026-03-10T23:00:00Z'), null);
    assert.equal(until(onDays({ wed: [{ from: '22:00', to: '23:30' }] }), 'UTC', '2026-03-10T23:00:00Z'), null);
  });

  it('a span belongs to the day it begins on, from Sunday into Monday too', () => {
    const sunday = onDays({ sun: [{ from: '22:00', to: '06:00' }] });
    assert.equal(until(sunday, 'UTC', '2026-03-09T05:00:00Z'), '2026-03-09T06:00:00Z', 'Monday morning');
    assert.equal(until(sunday, 'UTC', '2026-03-08T23:00:00Z'), '2026-03-09T06:00:00Z', 'Sunday night');
    assert.equal(until(sunday, 'UTC', '2026-03-08T05:00:00Z'), null, 'Sunday morning is of Saturday');
  });

  it('spans that meet or overlap are one, over midnight and over the end of the week', () => {
    const weekend = onDays({
      fri: [{ from: '20:00', to: '00:00' }],
      sat: [
        { from: '00:00', to: '12:00' },
        { from: '11:00', to: '00:00' },
      ],
      sun: [
        { from: '00:00', to: '18:00' },
        { from: '18:00', to: '07:00' },
      ],
      mon: [{ from: '06:00', to: '09:30' }],
    });
    assert.equal(until(weekend, 'UTC', '2026-03-13T20:00:00Z'), '2026-03-16T09:30:00Z');
  });

  it('quiet all the week is held for a week and asked again', () => {
    assert.equal(until(everyDay('00:00', '00:01'), 'UTC', '2026-03-10T12:00:00Z'), null);
    const always = onDays(
      Object.fromEntries(
        weekdays.map((weekday) => [
          weekday,
          [
            { from: '00:00', to: '12:00' },
            { from: '12:00', to: '00:00' },
          ],
        ]),
      ),
    );
    assert.equal(until(always, 'UTC', '2026-03-10T12:00:00Z'), '2026-03-17T12:00:00Z');
  });

  it('clocks that go forward: what is in the missing hour is not there', () => {
    const untilIn = (from: string, to: string, at: string) => until(everyDay(from, to), 'America/New_York', at);
    // 02:00 becomes 03:00 at 07:00Z.
    assert.equal(untilIn('22:00', '02:30', '2026-03-08T06:00:00Z'), '2026-03-08T07:00:00Z');
    assert.equal(untilIn('02:30', '05:00', '2026-03-08T06:59:59Z'), null);
    assert.equal(untilIn('02:30', '05:00', '2026-03-08T07:00:00Z'), '2026-03-08T09:00:00Z');
    assert.equal(untilIn('02:10', '02:50', '2026-03-08T07:00:00Z'), null);
    assert.equal(untilIn('22:00', '08:00', '2026-03-08T04:00:00Z'), '2026-03-08T12:00:00Z');
  });

  it('clocks that go back: what is in the repeated hour is quiet both times', () => {
    const untilIn = (from: string, to: string, at: string) => until(everyDay(from, to), 'America/New_York', at);
    // 02:00 becomes 01:00 at 06:00Z.
    assert.equal(untilIn('22:00', '01:30', '2026-11-01T05:00:00Z'), '2026-11-01T05:30:00Z');
    assert.equal(untilIn('22:00', '01:30', '2026-11-01T05:45:00Z'), null);
    assert.equal(untilIn('22:00', '01:30', '2026-11-01T06:15:00Z'), '2026-11-01T06:30:00Z');
    assert.equal(untilIn('01:15', '05:00', '2026-11-01T05:30:00Z'), '2026-11-01T06:00:00Z');
    assert.equal(untilIn('22:00', '08:00', '2026-11-01T03:00:00Z'), '2026-11-01T13:00:00Z');
  });

  it('a zone that is not known is UTC, and says so; none at all is UTC', () => {
    const spans = quietSpans(everyDay('22:00', '08:00'));
    const atMs = Date.parse('2026-03-10T23:00:00Z');
    const unknown = quietAt(spans, 'Mars/Olympus_Mons', atMs);
    assert.deepEqual([unknown.untilMs, unknown.isZoneKnown], [Date.parse('2026-03-11T08:00:00Z'), false]);
    const none = quietAt(spans, null, atMs);
    assert.deepEqual([none.untilMs, none.isZoneKnown], [unknown.untilMs, true]);
  });

  it('an answer holds from when it was asked for until it changes', () => {
    const spans = quietSpans(everyDay('22:00', '08:00'));
    const atMs = Date.parse('2026-03-10T12:00:00Z');
    const answer = quietAt(spans, 'UTC', atMs);
    assert.deepEqual(
      [-1, 0, 10 * hour - 1, 10 * hour].map((later) => stillHolds(answer, atMs + later)),
      [false, true, true, false],
    );
    assert.ok(stillHolds(quietAt([], 'UTC', atMs), atMs + 365 * day));
  });
});

const time = fc
  .integer({ min: 0, max: 95 })
  .map((quarter) => quarter * 15)
  .chain((quarter) => fc.constantFrom(quarter, quarter + 7))
  .map((of) => `${String(Math.floor(of / 60)).padStart(2, '0')}:${String(of % 60).padStart(2, '0')}`);
const span = fc.record({ from: time, to: time });
const schedule = fc.oneof(
  fc.tuple(time, time).map(([from, to]) => everyDay(from, to)),
  fc
    .array(fc.tuple(fc.constantFrom(...weekdays), fc.array(span, { maxLength: 3 })), { maxLength: 7 })
    .map((days) => onDays(Object.fromEntries(days))),
);
const firstMs = Date.UTC(2024, 0, 1);
const lastMs = Date.UTC(2030, 11, 20);

/** Somewhere in these years, or within a day of a change of the clocks. */
const instant = fc.record({
  zone: fc.constantFrom(...allZones),
  seconds: fc.integer({ min: firstMs / 1000, max: lastMs / 1000 }),
  fromChangeMs: fc.option(fc.integer({ min: -day, max: day })),
});

/** By the definition, from what a clock shows. */
function quietByClock(quietHours: QuietHours): (clock: { weekday: number; minuteOfDay: number }) => boolean {
  const minutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const byDay = weekdays.map((weekday) =>
    (quietHours.days[weekday] ?? []).map(({ from, to }) => ({ start: minutes(from), end: minutes(to) })),
  );
  return ({ weekday, minuteOfDay }) => {
    for (const { start, end } of byDay[weekday] ?? []) {
      if (start < end && minuteOfDay >= start && minuteOfDay < end) return true;
      if (start > end && minuteOfDay >= start) return true;
    }
    for (const { start, end } of byDay[(weekday + 6) % 7] ?? []) if (start > end && minuteOfDay < end) return true;
    return false;
  };
}

it('every zone, every schedule: as the clocks on the wall say, minute by minute', () => {
  let nearChanges = 0;
  fc.assert(
    fc.property(schedule, instant, fc.integer({ min: 0 }), (quietHours, { zone, seconds, fromChangeMs }, random) => {
      const change = fromChangeMs === null ? null : changeNear(zone, seconds * 1000);
      const nowMs = change === null || change > lastMs ? seconds * 1000 : change + (fromChangeMs as number);
      if (change !== null) nearChanges++;
      const clockAt = wallClocks(zone);
      const byClock = quietByClock(quietHours);
      const isQuiet = (atMs: number): boolean => byClock(clockAt(atMs));
      const { untilMs, validUntilMs } = quietAt(quietSpans(quietHours), zone, nowMs);
      assert.equal(untilMs !== null, isQuiet(nowMs));
      assert.ok(validUntilMs > nowMs);
      const holds = (atMs: number): void => {
        if (isQuiet(atMs) !== (untilMs !== null)) assert.fail(`${new Date(atMs).toISOString()} in ${zone}`);
      };
      const dayEndsMs = Math.min(validUntilMs, nowMs + day);
      for (let atMs = Math.ceil(nowMs / minute) * minute; atMs < dayEndsMs; atMs += minute) holds(atMs);
      const weekEndsMs = Math.min(validUntilMs, nowMs + 8 * day);
      for (let sample = 1; sample <= 20; sample++) holds(nowMs + ((random * sample) % (weekEndsMs - nowMs)));
      // A week from now: where it is always quiet.
      if (validUntilMs === nowMs + 7 * day || validUntilMs > lastMs) return;
      holds(validUntilMs - 1);
      assert.equal(isQuiet(validUntilMs), untilMs === null, 'and then it changes');
    }),
    { numRuns: 10_000 },
  );
  assert.ok(nearChanges > 1000);
});
