import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../server/src/base/random.ts';
import { channelsOf, mustBeGone, planSoak, userOf } from './soak-plan.ts';

const size = { pushes: 3000, mails: 500 };
const plan = planSoak(size, seededRandom(1), 0);

test('there are as many deliveries as asked for, and everybody is told of something', () => {
  const byUser = Map.groupBy(plan.endpoints, ({ user }) => user);
  const counts = { push: 0, email: 0 };
  const told = new Set<string>();
  for (const event of plan.events) {
    for (const { channel, name } of byUser.get(userOf(event)) ?? []) {
      if (!channelsOf(event).includes(channel)) continue;
      counts[channel]++;
      told.add(name);
    }
  }
  assert.equal(counts.email, size.mails);
  assert.ok(counts.push >= size.pushes && counts.push < size.pushes + 10);
  assert.equal(told.size, plan.endpoints.length);
});

test('every kind of device and address occurs, and each is named once', () => {
  const kinds = new Set(plan.endpoints.map(({ channel, kind }) => `${channel} ${kind}`));
  assert.equal(kinds.size, 7 + 4);
  assert.equal(new Set(plan.endpoints.map(({ name }) => name)).size, plan.endpoints.length);
});

test('whoever must be gone is told of something in the end', () => {
  const users = new Set(plan.lastEvents.map(userOf));
  for (const { kind, user } of plan.endpoints) if (mustBeGone(kind)) assert.ok(users.has(user));
});

test('the same seed is the same plan, another is another', () => {
  assert.deepEqual(planSoak(size, seededRandom(1), 0), plan);
  assert.notDeepEqual(planSoak(size, seededRandom(2), 0).endpoints, plan.endpoints);
});
