/** Given a circuit, when calls are answered, then whether the next one goes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from '../base/limits.ts';
import { admit, answered, type Circuit, closedCircuit } from './circuit.ts';
import type { Outcome } from './outcome.ts';

const accepted: Outcome = { kind: 'accepted', providerId: null };
const failing: Outcome = { kind: 'retry', code: '503', afterMs: null };
const throttled = (afterMs: number | null): Outcome => ({ kind: 'throttled', code: '429', afterMs, scope: 'project' });

function after(outcomes: readonly Outcome[], from: Circuit = closedCircuit, nowMs = 0): Circuit {
  return outcomes.reduce((circuit, outcome) => answered(circuit, outcome, nowMs), from);
}
const failures = (count: number): Outcome[] => new Array<Outcome>(count).fill(failing);

test('it opens after so many failures in a row, and an answer in between counts anew', () => {
  const most = limits.circuitFailures - 1;
  assert.equal(after(failures(most)).kind, 'closed');
  assert.equal(after([...failures(most), accepted, ...failures(most)]).kind, 'closed');
  assert.deepEqual(admit(after(failures(most + 1)), 0), { untilMs: limits.circuitOpen.firstMs });
});

test('what the endpoint or we are to blame for is an answer', () => {
  const answers: Outcome[] = [
    { kind: 'gone', code: '410', asOfMs: null },
    { kind: 'refused', code: '400' },
    { kind: 'throttled', code: '429', afterMs: 5, scope: 'endpoint' },
  ];
  for (const answer of answers) assert.deepEqual(after([...failures(5), answer]), closedCircuit);
});

test('when its time is over one call goes; what it meets decides', () => {
  const open = after(failures(limits.circuitFailures));
  const { firstMs } = limits.circuitOpen;
  const first = admit(open, firstMs);
  assert.ok('go' in first);
  assert.ok('untilMs' in admit(first.go, firstMs), 'the second waits');
  assert.deepEqual(answered(first.go, accepted, firstMs), closedCircuit);
  const again = answered(first.go, failing, firstMs);
  assert.deepEqual(again, { kind: 'open', untilMs: 3 * firstMs, waits: 1, why: 'failing' });
  assert.ok('go' in admit(first.go, firstMs + limits.circuitProbeMs), 'a look that is never answered holds nothing up');
});

test('a provider that slows us down is left alone for as long as it says, and a late answer does not change that', () => {
  const open = after([throttled(120_000)]);
  assert.deepEqual(admit(open, 119_999), { untilMs: 120_000 });
  assert.deepEqual(answered(open, accepted, 1000), open);
  assert.deepEqual(admit(answered(open, throttled(1000), 1000), 1000), { untilMs: 120_000 }, 'never shorter');
  assert.ok('go' in admit(open, 120_000));
  assert.deepEqual(after([throttled(null)]), {
    kind: 'open',
    untilMs: limits.deliveryThrottledMs,
    waits: 0,
    why: 'throttled',
  });
});

test('whatever it meets, it says when to ask again, within bounds', () => {
  const outcome = fc.constantFrom<Outcome>(
    accepted,
    failing,
    throttled(1000),
    { kind: 'blocked', code: '403' },
    {
      kind: 'unknown',
      code: 'lost',
    },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(outcome, fc.nat(100_000))), (steps) => {
      let circuit: Circuit = closedCircuit;
      let nowMs = 0;
      for (const [met, passedMs] of steps) {
        nowMs += passedMs;
        const asked = admit(circuit, nowMs);
        if ('untilMs' in asked) assert.ok(asked.untilMs > nowMs && asked.untilMs <= nowMs + limits.deliveryPauseMaxMs);
        else circuit = answered(asked.go, met, nowMs);
      }
    }),
  );
});
