import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NowAndThen } from './now-and-then.ts';
import { VirtualClock } from './virtual-clock.ts';

test('each key is due at first, and then once in each interval', () => {
  const clock = new VirtualClock();
  const told = new NowAndThen(clock, 1000);
  assert.deepEqual([told.isDue('a'), told.isDue('a'), told.isDue('b')], [true, false, true]);
  clock.advance(999);
  assert.equal(told.isDue('a'), false);
  clock.advance(1);
  assert.deepEqual([told.isDue('a'), told.isDue('a'), told.isDue('b')], [true, false, true]);
});
