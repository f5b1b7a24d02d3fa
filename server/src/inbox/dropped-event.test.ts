/** What is kept of dropped events comes back as it was. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { reasons } from '@carillon/contract/reasons.ts';
import fc from 'fast-check';
import { type DroppedEvent, decodeDropped, encodeDropped } from './dropped-event.ts';

const text = fc.string({ unit: 'binary', maxLength: 30 });
const dropped = fc.record(
  {
    source: text,
    id: text,
    type: text,
    timeMs: fc.integer({ min: -1e12, max: 4e12 }),
    decidedAtMs: fc.integer({ min: 0, max: 4e12 }),
    reason: fc.constantFrom(...reasons),
  },
  { noNullPrototype: true },
);

it('any of them', () => {
  fc.assert(
    fc.property(dropped, (event: DroppedEvent) => assert.deepEqual(decodeDropped(encodeDropped(event)), event)),
    { numRuns: 1000 },
  );
  assert.throws(() => decodeDropped('2\na'), /format 2/);
});

it('takes some 70 bytes', () => {
  const times = { timeMs: 1_773_144_000_000, decidedAtMs: 1_773_144_000_123 };
  const event = { source: 'posts', id: 'like-1234567890', type: 'post.liked', ...times, reason: 'mutedActor' } as const;
  assert.ok(encodeDropped(event).length <= 70);
});
