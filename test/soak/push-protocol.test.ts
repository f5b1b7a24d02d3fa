import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnswerFacts, answerTo, deliveryIn, readAsked } from './push-protocol.ts';
import { eventIn } from './soak-plan.ts';

const facts = (treatment: AnswerFacts['treatment'], isPatient = false): AnswerFacts => {
  return { treatment, goneSinceMs: 17, isPatient, name: 'projects/soak/messages/m' };
};
const take = { kind: 'take', delayMs: 0, isAnswered: true } as const;

test('pushes of both services are told apart, with their delivery and event', () => {
  const inApp = { delivery: 'dl_a-b_c', url: '/soak/e-12' };
  const apple = JSON.stringify({ aps: {}, carillon: inApp });
  const google = JSON.stringify({ message: { data: { carillon: JSON.stringify(inApp) }, token: 'aa11' } });
  assert.deepEqual(readAsked('/3/device/aa11', { 'apns-id': 'x' }, apple), {
    protocol: 'apns',
    token: 'aa11',
    apnsId: 'x',
  });
  assert.deepEqual(readAsked('/v1/projects/soak/messages:send', {}, google), {
    protocol: 'fcm',
    token: 'aa11',
    apnsId: null,
  });
  assert.equal(readAsked('/elsewhere', {}, google), null);
  for (const body of [apple, google]) assert.deepEqual([deliveryIn(body), eventIn(body)], ['dl_a-b_c', 'e-12']);
});

test('each service says in its own words what it did', () => {
  const apple = { protocol: 'apns', token: 'aa11', apnsId: 'x' } as const;
  const google = { protocol: 'fcm', token: 'aa11', apnsId: null } as const;
  assert.equal(answerTo(apple, facts(take)).givenId, 'x');
  assert.equal(answerTo(google, facts(take)).givenId, 'projects/soak/messages/m');
  assert.equal(answerTo(apple, facts({ kind: 'retry' })).body, '{"reason":"IdleTimeout"}');
  assert.equal(answerTo(apple, facts({ kind: 'retry' }, true)).status, 503);
  const gone = answerTo(apple, facts({ kind: 'gone', isOldProof: false }));
  assert.deepEqual([gone.status, gone.body], [410, '{"reason":"Unregistered","timestamp":17}']);
  const slowed = answerTo(google, facts({ kind: 'throttle', afterMs: 2000 }));
  assert.deepEqual([slowed.status, slowed.headers['retry-after']], [429, '2']);
});
