/** What log and store say about the cluster, asked directly and not of its processes. */
import { setTimeout as pause } from 'node:timers/promises';
import { lanes } from '@carillon/contract/lanes.ts';
import { Admin } from '@platformatic/kafka';
import { systemClock } from '../../../server/src/base/clock.ts';
import { connectCassandra } from '../../../server/src/cluster/cassandra-client.ts';
import type { InboxStore } from '../../../server/src/inbox/inbox-store.ts';
import { InboxStoreCassandra } from '../../../server/src/inbox/inbox-store-cassandra.ts';
import { direct, keyspace, shards, topicPrefix } from './fault-cluster.ts';

const appliedWithinMs = 300_000;

export async function openStore(): Promise<{ store: InboxStore; close(): Promise<void> }> {
  const client = await connectCassandra({
    contactPoints: direct.contactPoints,
    localDataCenter: 'datacenter1',
    keyspace,
  });
  return { store: new InboxStoreCassandra({ client, clock: systemClock }), close: () => client.shutdown() };
}

/** Resolves when every shard has applied every record of the log. Answers how long that took, in ms. */
export async function caughtUp(): Promise<number> {
  const began = performance.now();
  const { store, close } = await openStore();
  const admin = new Admin({ clientId: 'faults', bootstrapBrokers: [...direct.brokers] });
  for (let behind = await notApplied(admin, store); behind > 0; behind = await notApplied(admin, store)) {
    if (performance.now() - began > appliedWithinMs)
      throw new Error(`${behind} records are not applied after 5 minutes`);
    await pause(200);
  }
  await admin.close();
  await close();
  return performance.now() - began;
}

async function notApplied(admin: Admin, store: InboxStore): Promise<number> {
  const partitions = Array.from({ length: shards }, (_, partitionIndex) => ({ partitionIndex, timestamp: -1n }));
  const topics = await admin.listOffsets({
    topics: lanes.map((lane) => ({ name: `${topicPrefix}.log.${lane}`, partitions })),
  });
  let behind = 0;
  for (let shard = 0; shard < shards; shard++) {
    const positions = await store.positions(shard);
    for (const [index, lane] of lanes.entries()) {
      const topic = topics.find(({ name }) => name === `${topicPrefix}.log.${lane}`);
      const end = topic?.partitions.find(({ partitionIndex }) => partitionIndex === shard)?.offset;
      if (end === undefined) throw new Error(`no end of ${lane} ${shard}`);
      behind += Number(end) - (positions?.[index] ?? 0);
    }
  }
  return behind;
}
