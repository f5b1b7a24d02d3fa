/** Given a state, when a step comes, then the next state; what is not in the list means nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type DeliveryState,
  type DeliveryStep,
  deliveryStates,
  isSettled,
  stateRank,
  transition,
} from './delivery-state.ts';

const cases: readonly (readonly [DeliveryState, DeliveryStep, DeliveryState])[] = [
  ['pending', 'dispatch', 'dispatched'],
  ['pending', 'wait', 'pending'],
  ['pending', 'skip', 'suppressed'],
  ['pending', 'expire', 'expired'],
  ['pending', 'exhausted', 'failed'],
  ['dispatched', 'accepted', 'accepted'],
  ['dispatched', 'retry', 'pending'],
  ['dispatched', 'wait', 'pending'],
  ['dispatched', 'refused', 'failed'],
  ['dispatched', 'gone', 'failed'],
  ['dispatched', 'exhausted', 'failed'],
  ['dispatched', 'expire', 'expired'],
  ['dispatched', 'lost', 'unknown'],
  ['unknown', 'accepted', 'accepted'],
  ['unknown', 'redrive', 'pending'],
  ['failed', 'redrive', 'pending'],
  ['expired', 'redrive', 'pending'],
];
const steps: readonly DeliveryStep[] = [
  ...['dispatch', 'accepted', 'retry', 'wait', 'refused', 'gone'],
  ...['exhausted', 'lost', 'skip', 'expire', 'redrive'],
] as DeliveryStep[];

test('every state and step', () => {
  for (const state of deliveryStates) {
    for (const step of steps) {
      const next = cases.find(([from, by]) => from === state && by === step)?.[2] ?? null;
      assert.equal(transition(state, step), next, `${state} ${step}`);
    }
  }
});

test('whatever comes, what a provider has accepted or may have accepted is not dispatched again by itself', () => {
  const byItself = steps.filter((step) => step !== 'redrive');
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...byItself), { maxLength: 40 }), (taken) => {
      let state: DeliveryState = 'pending';
      let mayHaveIt = false;
      for (const step of taken) {
        const next = transition(state, step);
        if (next === null) continue;
        assert.ok(!(mayHaveIt && next === 'dispatched'), taken.join(' '));
        if (step === 'accepted' || step === 'lost') mayHaveIt = true;
        state = next;
      }
    }),
  );
});

test('of two writes of one version the one that knows more counts', () => {
  assert.ok(stateRank('accepted') > stateRank('unknown'));
  assert.ok(stateRank('failed') > stateRank('unknown'));
  assert.ok(stateRank('unknown') > stateRank('pending'));
  assert.deepEqual(
    deliveryStates.filter((state) => !isSettled(state)),
    ['pending', 'dispatched'],
  );
});
