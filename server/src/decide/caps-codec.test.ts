/** Stored caps are as they were, but for what no longer matters. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CapState, cappedUntilMs, nothingSent } from './caps.ts';
import { decodeCaps, encodeCaps, noCaps } from './caps-codec.ts';

const hour = 3_600_000;
const noonMs = Date.UTC(2026, 2, 10, 12);

const state = fc
  .record({
    agoMs: fc.array(fc.integer({ min: -hour, max: 30 * hour }), { maxLength: 12 }),
    waiting: fc.nat(1_000_000),
  })
  .map(
    ({ agoMs, waiting }): CapState => ({ sentAtMs: agoMs.map((ago) => noonMs - ago).sort((a, b) => a - b), waiting }),
  );
const caps = fc.dictionary(fc.string({ unit: 'binary', maxLength: 20 }), state, { maxKeys: 5 });

describe('stored caps', () => {
  it('of nothing are nothing', () => {
    assert.equal(encodeCaps(noCaps, noonMs), '');
    assert.equal(encodeCaps(new Map([['push reactions', nothingSent]]), noonMs), '');
    assert.equal(encodeCaps(new Map([['push reactions', { sentAtMs: [noonMs - 24 * hour], waiting: 0 }]]), noonMs), '');
    assert.equal(decodeCaps('').size, 0);
  });

  it('keep what waits, however long ago the last was sent', () => {
    const waiting = new Map([['email posts', { sentAtMs: [noonMs - 48 * hour], waiting: 3 }]]);
    assert.deepEqual(decodeCaps(encodeCaps(waiting, noonMs)), waiting);
  });

  it('of another format are refused', () => {
    assert.throws(() => decodeCaps('9\na\n0\n1'), /format 9/);
  });
});

it('any caps: the same answers as before, and the same text again', () => {
  fc.assert(
    fc.property(caps, fc.integer({ min: 1, max: 5 }), fc.nat(3 * hour), (plain, max, laterMs) => {
      const before = new Map(Object.entries(plain));
      const text = encodeCaps(before, noonMs);
      const after = decodeCaps(text);
      assert.equal(encodeCaps(after, noonMs), text);
      const cap = { hourMax: max, dayMax: 2 * max };
      for (const [key, was] of before) {
        const is = after.get(key) ?? nothingSent;
        const nowMs = noonMs + laterMs;
        assert.equal(cappedUntilMs(is, cap, nowMs), cappedUntilMs(was, cap, nowMs));
        if (after.has(key)) assert.deepEqual(is, was);
      }
    }),
    { numRuns: 10_000 },
  );
});
