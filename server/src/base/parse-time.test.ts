import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Time } from '@carillon/contract/notification.ts';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { parseTime } from './parse-time.ts';

test('A1: a leap second is a time like any other', () => {
  assert.equal(parseTime('2016-12-31T23:59:60Z'), Date.UTC(2016, 11, 31, 23, 59, 59));
  assert.equal(parseTime('2016-12-31T23:59:60.5Z'), Date.UTC(2016, 11, 31, 23, 59, 59, 500));
});

test('A1: whatever the schema calls a time is a number of milliseconds', () => {
  const schema = Compile(Time);
  const digits = (length: number) =>
    fc.integer({ min: 0, max: 10 ** length - 1 }).map((n) => `${n}`.padStart(length, '0'));
  const parts = fc.tuple(digits(4), digits(2), digits(2), digits(2), digits(2), fc.integer({ min: 0, max: 62 }));
  const ends = fc.constantFrom('Z', 'z', '+00:00', '-23:59', '+14:00', '.5Z', '.123456789123Z');
  let valid = 0;
  fc.assert(
    fc.property(parts, ends, ([year, month, day, hour, minute, second], end) => {
      const text = `${year}-${month}-${day}T${hour}:${minute}:${`${second}`.padStart(2, '0')}${end}`;
      if (!schema.Check(text)) return;
      valid++;
      assert.ok(Number.isFinite(parseTime(text)), text);
    }),
    { numRuns: 50_000 },
  );
  assert.ok(valid > 0);
});
