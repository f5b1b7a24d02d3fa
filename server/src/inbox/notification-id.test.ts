import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Place } from './item.ts';
import { idTimeMs, notificationId, timeMsMax } from './notification-id.ts';
import { placeKey, placeOfKey } from './place-key.ts';

const event = {
  tenant: 'default',
  user: 'ana',
  type: 'post.liked',
  source: 'posts',
  eventId: 'e1',
  timeMs: 1773144000000,
};

test('the same work gives the same id, any other another', () => {
  assert.equal(notificationId(event), notificationId({ ...event }));
  const others = [
    { tenant: 'defaul', user: 'tana' },
    { user: 'bo' },
    { type: 'post.reposted' },
    { source: 'blog' },
    { eventId: 'e2' },
  ].map((change) => notificationId({ ...event, ...change }));
  assert.equal(new Set([notificationId(event), ...others]).size, 6);
  assert.match(notificationId(event), /^n_[0-9a-z]{9}[\w-]{15}$/);
});

test('the id tells its time, and nonsense tells 0', () => {
  assert.equal(idTimeMs(notificationId(event)), event.timeMs);
  assert.equal(idTimeMs(notificationId({ ...event, timeMs: -5 })), 0);
  assert.equal(idTimeMs(notificationId({ ...event, timeMs: 1e300 })), timeMsMax);
  for (const id of ['', 'n_', 'n_ABCDEFGHI', 'x_0mmk6ovr0', 'n_-00000001']) assert.equal(idTimeMs(id), 0);
});

test('places sort newest first, then by id, and come back from their keys', () => {
  const place: fc.Arbitrary<Place> = fc.record({
    activityAtMs: fc.nat({ max: timeMsMax }),
    id: fc.constantFrom('n_a', 'n_b', 'n_B').map((id) => id as Place['id']),
  });
  fc.assert(
    fc.property(place, place, (a, b) => {
      const expected = b.activityAtMs - a.activityAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
      const [left, right] = [placeKey(a), placeKey(b)];
      assert.equal(Math.sign(left < right ? -1 : left > right ? 1 : 0), Math.sign(expected));
      assert.deepEqual(placeOfKey(left), { ...a });
    }),
  );
});
