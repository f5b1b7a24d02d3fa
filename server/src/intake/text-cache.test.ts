import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TextCache } from './text-cache.ts';

test('reads every text as it is, whatever was read before and whatever becomes of the buffer', () => {
  const cache = new TextCache();
  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.constantFrom('aXbXc', 'aYbYc', 'a-b-c', ''));
  fc.assert(
    fc.property(text, (value) => {
      const buffer = Buffer.from(`<${value}>`);
      assert.equal(cache.read(buffer, 1, buffer.length - 1), value);
      buffer.fill(0x78);
    }),
    { numRuns: 3000 },
  );
});
