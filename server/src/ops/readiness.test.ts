import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { consumptionCheck } from './readiness.ts';

function scene() {
  const clock = new VirtualClock();
  const state = { behindBytes: 0, applied: 0 };
  return { clock, state, probe: consumptionCheck(() => state, clock) };
}

test('M4: an idle service stays ready', () => {
  const { clock, probe } = scene();
  for (let day = 0; day < 3; day++) {
    assert.equal(probe.check(), null);
    clock.advance(86_400_000);
  }
});

test('M4: work that arrives after a long rest is not a stall', () => {
  const { clock, state, probe } = scene();
  probe.check();
  clock.advance(86_400_000);
  state.behindBytes = 100;
  assert.equal(probe.check(), null);
});

test('M4: ready fails when work waits and nothing is applied, and recovers with the first batch', () => {
  const { clock, state, probe } = scene();
  state.behindBytes = 100;
  assert.equal(probe.check(), null);
  clock.advance(limits.stalledAfterMs - 1);
  assert.equal(probe.check(), null);
  clock.advance(1);
  assert.match(probe.check() ?? '', /none has been applied/);
  state.applied++;
  assert.equal(probe.check(), null);
});

test('M4: a service that is behind but moving is ready', () => {
  const { clock, state, probe } = scene();
  state.behindBytes = 1e9;
  for (let batch = 0; batch < 10; batch++) {
    assert.equal(probe.check(), null);
    clock.advance(limits.stalledAfterMs * 2);
    state.applied++;
  }
});

test('M4: work done and new work come between two probes is not a stall', () => {
  const { clock, state, probe } = scene();
  state.behindBytes = 100;
  probe.check();
  clock.advance(limits.stalledAfterMs);
  state.applied = 1;
  assert.equal(probe.check(), null);
});
