/** Given a dispatched delivery, when a provider answers, then what becomes of it and when it is looked at again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from '../base/limits.ts';
import type { Delivery } from './delivery.ts';
import { afterAttempt, attemptsOf, type Met, newDelivery, stepped } from './delivery-steps.ts';
import type { Outcome } from './outcome.ts';

const met: Met = { provider: 'apns', atMs: 1_000_000, tookMs: 3, expiresAtMs: 100_000_000, chance: 0.5 };
const sent = (delivery: Delivery): Delivery => stepped(delivery, 'dispatch');
const failing: Outcome = { kind: 'retry', code: '503', afterMs: null };

test('each outcome, with its attempt', () => {
  const cases: readonly (readonly [Outcome, Partial<Delivery>])[] = [
    [
      { kind: 'accepted', providerId: 'x' },
      { state: 'accepted', code: null, providerId: 'x', dueAtMs: null },
    ],
    [
      { kind: 'gone', code: '410', asOfMs: null },
      { state: 'failed', code: '410', dueAtMs: null },
    ],
    [
      { kind: 'refused', code: '413' },
      { state: 'failed', code: '413', dueAtMs: null },
    ],
    [
      { kind: 'unknown', code: 'lost' },
      { state: 'unknown', code: 'lost', dueAtMs: null },
    ],
    [failing, { state: 'pending', code: '503', dueAtMs: met.atMs + 2500 }],
    [
      { ...failing, afterMs: 9000 },
      { state: 'pending', code: '503', dueAtMs: met.atMs + 9000 },
    ],
    [
      { kind: 'throttled', code: '429', afterMs: 120_000, scope: 'endpoint' },
      { state: 'pending', dueAtMs: met.atMs + 120_000 },
    ],
    [
      { kind: 'blocked', code: '403' },
      { state: 'pending', dueAtMs: met.atMs + limits.deliveryBlockedMs },
    ],
  ];
  for (const [outcome, expected] of cases) {
    const found = afterAttempt(sent(newDelivery('d_1')), outcome, met);
    assert.deepEqual({ ...found, ...expected }, found, outcome.kind);
    const code = 'code' in outcome ? outcome.code : null;
    assert.deepEqual(found.attempts, [{ atMs: met.atMs, provider: 'apns', outcome: outcome.kind, code, tookMs: 3 }]);
    assert.equal(found.version, 3);
  }
});

test('BC-54: six attempts, each wait at most twice the one before, then it has failed', () => {
  let delivery = newDelivery('d_1');
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 6; attempt++) {
    delivery = afterAttempt(sent(delivery), failing, { ...met, chance: 0.9999999 });
    waits.push((delivery.dueAtMs ?? met.atMs) - met.atMs);
    assert.equal(delivery.state, attempt < 6 ? 'pending' : 'failed');
  }
  assert.deepEqual(waits, [5000, 10_000, 20_000, 40_000, 80_000, 0]);
});

test('BC-10: being slowed down burns no attempt, however often', () => {
  let delivery = newDelivery('d_1');
  const slowed: Outcome = { kind: 'throttled', code: '429', afterMs: 5000, scope: 'provider' };
  for (let round = 0; round < 5; round++) delivery = afterAttempt(sent(delivery), failing, met);
  for (let round = 0; round < 500; round++) delivery = afterAttempt(sent(delivery), slowed, met);
  assert.equal(delivery.state, 'pending');
  assert.equal(attemptsOf(delivery), 5, 'those that count are kept, whatever is shown of the others');
  assert.ok(delivery.attempts.length <= 17);
  assert.equal(afterAttempt(sent(delivery), failing, met).state, 'failed');
});

test('what would come too late is not tried again', () => {
  const soon = { ...met, expiresAtMs: met.atMs + 4000 };
  const found = afterAttempt(sent(newDelivery('d_1')), { ...failing, afterMs: 4000 }, soon);
  assert.equal(found.state, 'expired');
  assert.equal(found.code, '503');
});

test('a wait is never shorter than asked for, nor longer than an hour', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (afterMs, chance) => {
      const { dueAtMs } = afterAttempt(sent(newDelivery('d')), { ...failing, afterMs }, { ...met, chance });
      const waitMs = (dueAtMs ?? 0) - met.atMs;
      assert.ok(waitMs >= Math.min(afterMs, limits.deliveryPauseMaxMs));
      assert.ok(waitMs <= Math.max(limits.deliveryPauseMaxMs, 5000));
    }),
  );
});

test('a step that means nothing is a fault in the program', () => {
  assert.throws(() => stepped(newDelivery('d_1'), 'accepted'), /pending cannot take the step accepted/);
});
