import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayMs } from '../base/iso-time.ts';
import { changeSuppression, mailAllowed, type Suppression, type SuppressionChange } from './suppression.ts';

const nowMs = Date.UTC(2026, 2, 10, 12);
const rules = { softBouncesMax: 5, nowMs };
const kind = fc.constantFrom('hard', 'complaint', 'soft', 'manual');
const change = fc.record({
  kind,
  atMs: fc.integer({ min: nowMs - 60 * dayMs, max: nowMs + dayMs }),
  by: fc.constant('ses'),
  code: fc.constant(null),
}) as fc.Arbitrary<Exclude<SuppressionChange, { kind: 'clear' }>>;

function after(changes: readonly SuppressionChange[], given = rules): Suppression | null {
  return changes.reduce<Suppression | null>((held, each) => changeSuppression(held, 'a@x.example', each, given), null);
}

test('V22: in whatever order and however often feedback comes, the same is held against the address', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (changes, random) => {
      const shuffled = [...changes, ...changes].map((each) => [random.next().value, each] as const);
      const other = after(shuffled.sort(([a], [b]) => a - b).map(([, each]) => each));
      const first = after(changes);
      assert.deepEqual([other?.reason, other?.softDays], [first?.reason, first?.softDays]);
    }),
  );
});

test('V22: nothing but a clearing ever lets more mail through', () => {
  const order = ['all', 'critical', 'none'];
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), change, (changes, last) => {
      const before = after(changes);
      const then = changeSuppression(before, 'a@x.example', last, rules);
      assert.ok(order.indexOf(mailAllowed(then)) >= order.indexOf(mailAllowed(before)));
    }),
  );
});

test('soft bounces of more than 30 days ago count no more, and those of one day once', () => {
  const soft = (days: number): SuppressionChange => ({
    kind: 'soft',
    atMs: nowMs - days * dayMs,
    by: 'ses',
    code: null,
  });
  assert.deepEqual(after([soft(31), soft(2), soft(2)])?.softDays.length, 1);
  assert.equal(after([soft(29), soft(20), soft(10), soft(5), soft(0)])?.reason, 'soft');
  const early = after([soft(29), soft(28), soft(27), soft(26)]);
  const later = changeSuppression(early, 'a@x.example', soft(-3), { ...rules, nowMs: nowMs + 4 * dayMs });
  assert.equal(later?.reason, null);
  assert.ok((later?.softDays.length ?? 0) < 4);
});

test('feedback of a time to come counts as of now', () => {
  const [first, cleared] = [nowMs, nowMs + 1000];
  const ahead = { kind: 'hard', atMs: nowMs + dayMs, by: 'ses', code: null } as const;
  const held = after([ahead]);
  assert.equal(held?.sinceMs, first);
  const clear = changeSuppression(held, 'a@x.example', { kind: 'clear' }, { ...rules, nowMs: cleared });
  assert.equal(changeSuppression(clear, 'a@x.example', ahead, { ...rules, nowMs: cleared })?.reason, null);
});
