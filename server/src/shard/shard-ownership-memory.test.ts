import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardOwnershipContract } from './shard-ownership.contract.ts';
import { MemoryGroup, ShardOwnershipMemory } from './shard-ownership-memory.ts';

shardOwnershipContract('memory ownership', async () => {
  const group = new MemoryGroup(6);
  return {
    shards: group.shards,
    member: () => {
      const ownership = new ShardOwnershipMemory(group);
      return { ownership, freeze: () => ownership.freeze(), thaw: () => ownership.thaw() };
    },
    dispose: async () => {},
  };
});

test('memory ownership: what is applied is told for shards that are held', async () => {
  const group = new MemoryGroup(1);
  const ownership = new ShardOwnershipMemory(group);
  ownership.applied(0, [1, 2, 3]);
  assert.equal(group.positions.size, 0);
  await ownership.start({ gained: async () => {}, lost: async () => {}, failed: assert.fail });
  while (!ownership.holds(0)) await new Promise((resolve) => setImmediate(resolve));
  ownership.applied(0, [1, 2, 3]);
  assert.deepEqual(group.positions.get(0), [1, 2, 3]);
  await ownership.stop();
});
