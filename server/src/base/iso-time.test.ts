import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoTime } from './iso-time.ts';

test('every time reads as Date writes it', () => {
  const near = fc.integer({ min: -2 * 86_400_000, max: 2 * 86_400_000 });
  const any = fc.integer({ min: -8.64e15, max: 8.64e15 });
  fc.assert(
    fc.property(fc.oneof(near, any), (timeMs) => {
      assert.equal(isoTime(timeMs), new Date(timeMs).toISOString());
    }),
    { numRuns: 2000 },
  );
});

test('a time that is none throws', () => {
  for (const timeMs of [8.64e15 + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => isoTime(timeMs), RangeError);
    assert.throws(() => isoTime(timeMs), RangeError, 'also the second time');
  }
});
