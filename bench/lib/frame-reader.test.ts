import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameReader, serverFrame } from './frame-reader.ts';

test('frames of all three length forms come out whole, however the bytes are cut', () => {
  const lengths = fc.constantFrom(0, 1, 125, 126, 127, 300, 65535, 65536, 70_000);
  fc.assert(
    fc.property(
      fc.array(lengths, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 8 }),
      (sizes, cuts) => {
        const sent = sizes.map((size, i) => Buffer.alloc(size, 97 + i));
        const stream = Buffer.concat(sent.map(serverFrame));
        const got: Buffer[] = [];
        const reader = new FrameReader((opcode, payload) => {
          assert.equal(opcode, 1);
          got.push(Buffer.from(payload));
        });
        const shared = Buffer.alloc(40_000);
        for (let at = 0, i = 0; at < stream.length; i++) {
          const n = Math.min(cuts[i % cuts.length] ?? 1, stream.length - at);
          stream.copy(shared, 0, at, at + n);
          reader.push(shared.subarray(0, n));
          at += n;
        }
        assert.deepEqual(got, sent);
      },
    ),
    { numRuns: 60 },
  );
});
