/**
 * How many records of the bulk lane wait, over all shards: the ends of its partitions against the positions that lie beside
 * the rows. Unlike what the group has committed (`kafka-lag.ts`), these are never behind the truth, so that fan-out can go
 * on as soon as its last chunk is applied.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import { type Admin, ListOffsetTimestamps } from '@platformatic/kafka';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { LaneTopics } from '../log/kafka/lane-topics.ts';

export interface BulkLagParts {
  readonly admin: Pick<Admin, 'listOffsets'>;
  readonly topicPrefix: string;
  readonly store: Pick<InboxStore, 'positions'>;
  readonly shards: number;
}

/** Rejects when Kafka or the store does not answer. */
export async function bulkLag({ admin, topicPrefix, store, shards }: BulkLagParts): Promise<number> {
  const name = new LaneTopics(topicPrefix).of('bulk');
  const timestamp = ListOffsetTimestamps.LATEST;
  const partitions = Array.from({ length: shards }, (_, partitionIndex) => ({ partitionIndex, timestamp }));
  // Positions first: records that come meanwhile count as waiting, never the other way round.
  const positions = await Promise.all(partitions.map(({ partitionIndex }) => store.positions(partitionIndex)));
  const [topic] = await admin.listOffsets({ topics: [{ name, partitions }] });
  return (topic?.partitions ?? []).reduce((sum, { partitionIndex, offset }) => {
    const applied = positions[partitionIndex]?.[lanes.indexOf('bulk')] ?? 0;
    return sum + Math.max(0, Number(offset) - applied);
  }, 0);
}
