import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey, splitPersonKey } from '../base/ids.ts';
import { ana, noonMs, testItem } from '../inbox/test-items.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import { sampleBatch } from '../log/sample-records.ts';
import { readHandedOver } from './dispatch-record.ts';
import { LogChannel } from './log-channel.ts';
import type { Dispatch } from './outward-channel.ts';

const dispatch = (event: string, change: Partial<Dispatch> = {}): Dispatch => ({
  person: ana,
  tells: [{ notification: testItem(ana, event, noonMs).id, number: 1 }],
  lane: 'direct',
  moment: 'now',
  decidedAtMs: noonMs,
  expiresAtMs: noonMs + 60_000,
  ...change,
});

test('what a channel takes is read from its log as it was, once, also where it is given again', async () => {
  const log = new EventLogMemory();
  const channel = new LogChannel({ name: 'push', log, shards: 1, endpointOf: () => 'ready' });
  const several = [...dispatch('a').tells, ...dispatch('b').tells];
  const all = [
    dispatch('a', { person: personKey('ténant', 'user \n 7') }),
    dispatch('c', { tells: several, moment: 'digest' }),
    dispatch('d', { moment: 'fallback' }),
  ];
  await channel.take(all);
  await channel.take(all.slice(1));
  const reader = await log.open(0, 'direct', 0);
  const batch = await reader.pull(1e6);
  assert.ok(batch !== null);
  const { dispatches: read } = readHandedOver(batch.bytes, () => assert.fail('all of it can be read'));
  assert.deepEqual(read, all);
  assert.equal(splitPersonKey(read[0]?.person ?? ana).user, 'user \n 7');
});

test('what is no dispatch is told of, and what lies beside it is read', () => {
  const { bytes } = sampleBatch([{ id: 'e1' }, { id: 'e2' }]);
  const unusable: number[] = [];
  const found = readHandedOver(bytes, (record) => unusable.push(record.length));
  assert.deepEqual(found, { dispatches: [], redrives: [] });
  assert.equal(unusable.length, 2);
});
