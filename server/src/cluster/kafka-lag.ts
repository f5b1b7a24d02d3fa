/**
 * How far the shards are behind, as Kafka knows it: the ends of all partitions against what the group has committed,
 * which its members do once positions are stored. It needs none of them to be alive.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import { type Admin, ListOffsetTimestamps } from '@platformatic/kafka';
import { LaneTopics } from '../log/kafka/lane-topics.ts';

export interface KafkaLagParts {
  readonly admin: Pick<Admin, 'listOffsets' | 'listConsumerGroupOffsets'>;
  readonly topicPrefix: string;
  readonly groupId: string;
  readonly shards: number;
}

type Offsets = ReadonlyMap<string, readonly bigint[]>;

/** Records that are durable and not yet applied, by lane. Rejects when Kafka does not answer. */
export async function kafkaLag({ admin, topicPrefix, groupId, shards }: KafkaLagParts): Promise<readonly number[]> {
  const { names } = new LaneTopics(topicPrefix);
  const partitions = Array.from({ length: shards }, (_, shard) => shard);
  const offsetsAt = async (timestamp: bigint): Promise<Offsets> => {
    const asked = partitions.map((partitionIndex) => ({ partitionIndex, timestamp }));
    const found = await admin.listOffsets({ topics: names.map((name) => ({ name, partitions: asked })) });
    return new Map(found.map((topic) => [topic.name, inOrder(topic.partitions, ({ offset }) => offset, shards)]));
  };
  // What is committed first: records that come meanwhile count as behind, never the other way round.
  const groups = await admin.listConsumerGroupOffsets({
    groups: [{ groupId, topics: names.map((name) => ({ name, partitionIndexes: partitions })) }],
  });
  const committed: Offsets = new Map(
    groups[0]?.topics.map((topic) => [topic.name, inOrder(topic.partitions, (each) => each.committedOffset, shards)]),
  );
  const isWhole = names.every((name) => committed.get(name)?.every((offset) => offset >= 0n));
  const [starts, ends] = await Promise.all([
    isWhole ? null : offsetsAt(ListOffsetTimestamps.EARLIEST),
    offsetsAt(ListOffsetTimestamps.LATEST),
  ]);
  return lanes.map((_, lane) => {
    const name = names[lane] as string;
    return partitions.reduce((sum, shard) => {
      const position = committed.get(name)?.[shard] ?? -1n;
      const from = position >= 0n ? position : (starts?.get(name)?.[shard] ?? 0n);
      const end = ends.get(name)?.[shard] ?? from;
      return sum + Math.max(0, Number(end - from));
    }, 0);
  });
}

/** By partition number; -1 where there is none. */
function inOrder<Partition extends { readonly partitionIndex: number }>(
  partitions: readonly Partition[],
  offsetOf: (partition: Partition) => bigint,
  shards: number,
): bigint[] {
  const offsets = Array.from({ length: shards }, () => -1n);
  for (const partition of partitions) offsets[partition.partitionIndex] = offsetOf(partition);
  return offsets;
}
