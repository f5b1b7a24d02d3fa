import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FingerprintFilter } from './fingerprint-filter.ts';
import { FingerprintTable, fingerprintHash } from './fingerprint-table.ts';

function positionsOf(table: FingerprintTable, fingerprint: number): number[] {
  const positions: number[] = [];
  for (let slot = table.first(fingerprint); slot >= 0; slot = table.after(slot)) positions.push(table.positionAt(slot));
  return positions.sort((a, b) => a - b);
}

/** Few distinct values, so that equal ones and neighbours are common. */
const fingerprints = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
  { maxLength: 300 },
);

test('fingerprint table: holds every entry beside its equals, through growth, and undo leaves no trace', () => {
  fc.assert(
    fc.property(fingerprints, fingerprints, (kept, undone) => {
      const table = new FingerprintTable(4);
      for (const [at, fingerprint] of kept.entries()) table.insert(fingerprint, at);
      table.reserve(undone.length);
      const slots = undone.map((fingerprint, at) => table.insert(fingerprint, 1000 + at));
      for (const slot of slots.reverse()) table.undo(slot);
      assert.equal(table.count, kept.length);
      for (const fingerprint of [...kept, ...undone]) {
        const expected = kept.flatMap((other, at) => (other === fingerprint ? [at] : []));
        assert.deepEqual(positionsOf(table, fingerprint), expected);
      }
    }),
  );
});

test('fingerprint table: sorted gives all entries in the order of their hash', () => {
  fc.assert(
    fc.property(fingerprints, (kept) => {
      const table = new FingerprintTable(4);
      for (const [at, fingerprint] of kept.entries()) table.insert(fingerprint, at);
      const sorted = table.sorted();
      const entries = Array.from({ length: sorted.length / 2 }, (_, at) => [sorted[at * 2], sorted[at * 2 + 1]]);
      const hashes = entries.map(([fingerprint]) => fingerprintHash(fingerprint as number));
      assert.deepEqual(
        hashes,
        [...hashes].sort((a, b) => a - b),
      );
      const byPosition = [...entries].sort((a, b) => (a[1] as number) - (b[1] as number));
      assert.deepEqual(
        byPosition.map(([fingerprint]) => fingerprint),
        kept,
      );
    }),
  );
});

test('fingerprint filter: never misses a segment, over hundreds of them, and forgets those removed', () => {
  const segments = 600;
  const each = 20;
  const filter = new FingerprintFilter(each);
  const of = (segment: number, at: number): number => (segment * each + at + 1) * 7_919_000_003;
  for (let segment = 0; segment < segments; segment++) {
    filter.begin(segment);
    for (let at = 0; at < each; at++) filter.add(of(segment, at));
  }
  for (let segment = 0; segment < segments; segment += 7) {
    for (let at = 0; at < each; at++) assert.ok(filter.segmentsOf(of(segment, at)).includes(segment));
  }
  filter.remove(70);
  assert.ok(!filter.segmentsOf(of(70, 0)).includes(70));
});

test('fingerprint filter: points to few segments that do not hold a fingerprint', () => {
  const filter = new FingerprintFilter(10_000);
  for (let segment = 0; segment < 4; segment++) {
    filter.begin(segment);
    for (let at = 1; at <= 10_000; at++) filter.add(segment * 1e9 + at * 7_919);
  }
  let wrong = 0;
  for (let at = 1; at <= 10_000; at++) wrong += filter.segmentsOf(5e14 + at * 104_729).length;
  assert.ok(wrong < 4 * 10_000 * 0.01, `${wrong} of 40,000`);
});
