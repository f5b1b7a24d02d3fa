/** Ownership by a real consumer group: the port's contract, and what is particular to Kafka. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../server/src/base/clock.ts';
import type { GroupMember } from '../../../server/src/log/kafka/kafka-clients.ts';
import { shardOwnershipContract } from '../../../server/src/shard/shard-ownership.contract.ts';
import { ShardOwnershipKafka } from '../../../server/src/shard/shard-ownership-kafka.ts';
import { eventually } from '../../flow/eventually.ts';
import { KafkaWorld } from '../log/kafka-world.ts';

const times = { sessionMs: 3000, marginMs: 500, heartbeatMs: 200, rebalanceMs: 10_000 };

/** A member whose connections can be made to stand still. */
function member(world: KafkaWorld) {
  const clients = world.clients();
  let consumer: GroupMember | null = null;
  const ownership = new ShardOwnershipKafka({
    clients: {
      member: (options) => {
        consumer = clients.member(options);
        return consumer;
      },
    },
    topicPrefix: world.topicPrefix,
    shards: world.shards,
    groupId: world.topicPrefix,
    clock: systemClock,
    times,
  });
  const sockets = () => [...(consumer?.connections ?? [])].map(([, connection]) => connection.socket);
  return {
    ownership,
    freeze: async () => {
      for (const socket of sockets()) socket.pause();
    },
    thaw: async () => {
      for (const socket of sockets()) socket.resume();
    },
  };
}

shardOwnershipContract('kafka ownership', async () => {
  const world = await KafkaWorld.open(6);
  return { shards: world.shards, member: () => member(world), dispose: () => world.dispose() };
});

const quiet = { gained: async () => {}, lost: async () => {}, failed: assert.fail };

test('BC-08: what is applied is committed to the group, and nothing of a shard that is no longer held', async (t) => {
  const world = await KafkaWorld.for(t, 2);
  const { admin } = world.clients();
  const committed = async (shard: number) => {
    const [group] = await admin.listConsumerGroupOffsets({ groups: [world.topicPrefix] });
    const topic = group?.topics.find(({ name }) => name === world.topics.of('social'));
    return Number(topic?.partitions.find(({ partitionIndex }) => partitionIndex === shard)?.committedOffset ?? -1n);
  };
  const first = member(world).ownership;
  const second = member(world).ownership;
  await first.start(quiet);
  t.after(() => first.stop());
  await eventually(() => first.holds(0) && first.holds(1));
  first.applied(0, [0, 102, 0]);
  first.applied(1, [0, 301, 0]);
  await second.start(quiet);
  t.after(() => second.stop());
  await eventually(() => second.holds(0) || second.holds(1));
  const moved = second.holds(0) ? 0 : 1;
  assert.equal(await committed(moved), moved === 0 ? 102 : 301, 'told before it was given up');
  first.applied(moved, [0, 999, 0]);
  first.applied(1 - moved, [0, 500, 0]);
  await eventually(async () => (await committed(1 - moved)) === 500);
  assert.equal(await committed(moved), moved === 0 ? 102 : 301);
});
