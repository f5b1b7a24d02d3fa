import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../base/virtual-clock.ts';
import { Gates } from './gates.ts';

const route = (project: string, provider = 'fcm') => ({ provider, project, sendsMax: 10 });

test('circuits are told of by provider, as many as there are projects', () => {
  const gates = new Gates(new VirtualClock(0));
  for (const each of [route('a'), route('b'), route('c', 'apns')]) {
    assert.equal(gates.enter(each).kind, 'go');
    gates.ended(each, each.project === 'b' ? { kind: 'blocked', code: '403' } : { kind: 'accepted', providerId: null });
  }
  assert.deepEqual(Object.fromEntries(gates.circuits), {
    fcm: { closed: 1, open: 1, probing: 0 },
    apns: { closed: 1, open: 0, probing: 0 },
  });
});

test('a full gate takes no token, and a call that was not made gives back what it took', () => {
  const clock = new VirtualClock(0);
  const gates = new Gates(clock);
  const quotas = [{ name: 'a', rate: { burst: 2, perMs: 0.001, from: 1, risePerMs: 0 } }];
  const one = { ...route('a'), sendsMax: 1, quotas };
  assert.equal(gates.enter(one).kind, 'go');
  assert.equal(gates.enter(one).kind, 'full');
  gates.ended(one, null);
  for (let call = 0; call < 2; call++) {
    assert.equal(gates.enter(one).kind, 'go');
    gates.ended(one, { kind: 'accepted', providerId: null });
  }
  assert.deepEqual(gates.enter(one), { kind: 'overQuota', untilMs: 1000 });
  clock.advance(1000);
  assert.equal(gates.enter(one).kind, 'go');
});
