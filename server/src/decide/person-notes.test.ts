/** Stored notes are as they were, but for what no longer matters. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CapState, isSpent, nothingSent } from './caps.ts';
import { decodeNotes, encodeNotes, noNotes, type PersonNotes } from './person-notes.ts';

const hour = 3_600_000;
const noonMs = Date.UTC(2026, 2, 10, 12);

const sent = fc.array(
  fc.record(
    {
      atMs: fc.integer({ min: noonMs - 30 * hour, max: noonMs + hour }),
      telling: fc.nat().map((name) => name.toString(36)),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 12 },
);
const state = fc
  .record({ sent, summaryAtMs: fc.option(fc.nat(2 * noonMs)) })
  .map(({ sent: all, summaryAtMs }): CapState => ({ sent: all.toSorted((a, b) => a.atMs - b.atMs), summaryAtMs }));
const notes = fc.record(
  {
    revision: fc.nat(Number.MAX_SAFE_INTEGER),
    digestDate: fc.option(fc.constantFrom('2026-03-10', '2028-02-29')),
    caps: fc
      .dictionary(fc.string({ unit: 'binary', maxLength: 20 }), state, { maxKeys: 5 })
      .map((caps) => new Map(Object.entries(caps))),
  },
  { noNullPrototype: true },
);

describe('stored notes', () => {
  it('keep what waits, however long ago the last was sent', () => {
    const caps = new Map([
      ['email posts', { sent: [{ atMs: noonMs - 48 * hour, telling: 'a' }], summaryAtMs: noonMs }],
    ]);
    assert.deepEqual(decodeNotes(encodeNotes({ ...noNotes, caps }, noonMs)), { ...noNotes, caps });
  });

  it('of what was sent long ago keep nothing', () => {
    const caps = new Map([
      ['push reactions', nothingSent],
      ['push posts', { sent: [{ atMs: noonMs - 24 * hour, telling: 'a' }], summaryAtMs: null }],
    ]);
    assert.deepEqual(decodeNotes(encodeNotes({ ...noNotes, caps }, noonMs)), noNotes);
  });

  it('of another format are refused', () => {
    assert.throws(() => decodeNotes('9\na\n'), /format 9/);
  });
});

it('any notes come back as they were', () => {
  fc.assert(
    fc.property(notes, (before: PersonNotes) => {
      const caps = new Map([...before.caps].filter(([, one]) => !isSpent(one, noonMs)));
      assert.deepEqual(decodeNotes(encodeNotes(before, noonMs)), { ...before, caps });
    }),
    { numRuns: 10_000 },
  );
});
