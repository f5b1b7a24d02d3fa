import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Histogram } from './histogram.ts';

test('a percentile is within 1.6 % above the exact value of sorted records', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 60_000_000 }), { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.95, 0.99, 1),
      (values, p) => {
        const histogram = new Histogram();
        for (const value of values) histogram.record(value);
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(sorted.length * p) - 1] ?? Number.NaN;
        const read = histogram.percentile(p);
        assert.ok(read >= exact && read <= exact * 1.016 + 1, `${read} for ${exact}`);
      },
    ),
  );
});

test('an empty histogram answers zeros', () => {
  assert.deepEqual([new Histogram().percentile(0.99), new Histogram().summary().maxMs], [0, 0]);
});
