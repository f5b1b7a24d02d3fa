import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../base/ids.ts';
import type { Timer } from '../shard/timer-store.ts';
import { TimerStoreMemory } from '../shard/timer-store-memory.ts';
import { ShardNotHeld } from './fenced-store.ts';
import { fencedTimers } from './fenced-timers.ts';

const timer: Timer = { id: 'a', dueMs: 5, revision: 1, person: personKey('t', 'ana'), kind: 'window', data: '' };

test('timers are written only while the shard is held, and read all the same', async () => {
  const held = new Set([1]);
  const store = new TimerStoreMemory();
  const timers = fencedTimers(store, { holds: (shard) => held.has(shard) });
  await timers.open(1);
  await timers.write(1, { set: [timer] });
  await assert.rejects(timers.write(2, { set: [timer] }), ShardNotHeld);
  held.clear();
  await assert.rejects(timers.write(1, { done: [timer] }), ShardNotHeld);
  assert.deepEqual(await timers.due(1, 5, 10), [timer]);
  assert.equal(await timers.nextDueMs(1), 5);
  assert.deepEqual(await timers.list(2, null, 10), []);
});
