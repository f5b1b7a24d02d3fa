import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readTime } from './read-time.ts';

const read = (text: string) => {
  const bytes = Buffer.from(`>${text}<`);
  return readTime(bytes, 1, bytes.length - 1);
};

test('reads what Date.parse reads, over all of the years 0000 to 9999', () => {
  const min = new Date('0000-01-01T00:00:00Z');
  const max = new Date('9999-12-31T23:59:59.999Z');
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
      const shown = new Date(Math.min(Math.max(date.getTime() + offset * 60_000, min.getTime()), max.getTime()));
      const hours = String(Math.trunc(Math.abs(offset) / 60)).padStart(2, '0');
      const zone = `${offset < 0 ? '-' : '+'}${hours}:${String(Math.abs(offset) % 60).padStart(2, '0')}`;
      const text = shown.toISOString().replace('Z', zone);
      assert.equal(read(text), shown.getTime() - offset * 60_000, text);
      assert.equal(read(shown.toISOString()), shown.getTime());
    }),
    { numRuns: 2000 },
  );
});

test('cuts fractions below a millisecond off', () => {
  assert.equal(read('1970-01-01T00:00:00.123999999Z'), 123);
  assert.equal(read('1970-01-01T00:00:00.1Z'), 100);
});

const refused = [
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+0100',
  '2026-01-01 00:00:00Z',
  '+2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00Zz',
  '2026/01/01T00:00:00Z',
  '',
];
for (const text of refused) test(`refuses "${text}"`, () => assert.ok(Number.isNaN(read(text))));
