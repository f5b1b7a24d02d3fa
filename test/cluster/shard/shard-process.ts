/** What one process of role shard does with log and ownership, over a store that several of them share. */
import type { Event } from '@carillon/contract/event.ts';
import { systemClock } from '../../../server/src/base/clock.ts';
import { shardOf } from '../../../server/src/base/hash.ts';
import { type PersonKey, personKey } from '../../../server/src/base/ids.ts';
import { builtInTypes } from '../../../server/src/content/type-catalogue.ts';
import type { InboxStoreMemory } from '../../../server/src/inbox/inbox-store-memory.ts';
import type { EventLogKafka } from '../../../server/src/log/event-log-kafka.ts';
import type { PackedBatch } from '../../../server/src/log/record.ts';
import { ShardExecutor } from '../../../server/src/shard/shard-executor.ts';
import type { UnusableRecord } from '../../../server/src/shard/shard-listener.ts';
import { usualMemory } from '../../../server/src/shard/shard-memory.ts';
import type { OwnershipListener } from '../../../server/src/shard/shard-ownership.ts';
import { ShardOwnershipKafka } from '../../../server/src/shard/shard-ownership-kafka.ts';
import { packEvents } from '../../sim/pack-event.ts';
import type { KafkaWorld } from '../log/kafka-world.ts';

const times = { sessionMs: 3000, marginMs: 500, heartbeatMs: 200, rebalanceMs: 10_000 };

export class ShardProcess implements OwnershipListener {
  readonly log: EventLogKafka;
  readonly ownership: ShardOwnershipKafka;
  readonly executors = new Map<number, ShardExecutor>();
  readonly unusable: UnusableRecord[] = [];
  readonly failures: unknown[] = [];
  readonly #store: InboxStoreMemory;

  private constructor(world: KafkaWorld, store: InboxStoreMemory) {
    const clients = world.clients();
    const { topicPrefix, shards } = world;
    this.#store = store;
    this.log = world.log({ clients });
    this.ownership = new ShardOwnershipKafka({
      clients,
      topicPrefix,
      shards,
      groupId: topicPrefix,
      clock: systemClock,
      times,
    });
  }

  static async start(world: KafkaWorld, store: InboxStoreMemory): Promise<ShardProcess> {
    const process = new ShardProcess(world, store);
    await process.ownership.start(process);
    return process;
  }

  async gained(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      const executor = new ShardExecutor({
        shard,
        log: this.log,
        store: this.#store,
        catalogue: builtInTypes,
        clock: systemClock,
        memory: usualMemory,
        listener: {
          isWatched: () => false,
          changed: () => this.ownership.applied(shard, executor.positions),
          decided() {},
          unusable: (record) => this.unusable.push(record),
          writeFailed: (error) => this.failures.push(error),
          channelFailed: (_channel, error) => this.failures.push(error),
          timerFailed: (_timer, error) => this.failures.push(error),
        },
      });
      this.executors.set(shard, executor);
      await executor.start();
    }
  }

  async lost(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      await this.executors.get(shard)?.stop();
      this.executors.delete(shard);
    }
  }

  failed(error: unknown): void {
    this.failures.push(error);
  }
}

/** An event as intake packs it: for the shard of its one person. */
export function packed(event: Event, shards: number): PackedBatch {
  const batch = packEvents([event], 1000);
  const { user } = event.to as { user: string };
  Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset).writeUInt16LE(shardOf(keyOf(user), shards), 6);
  return batch;
}

export function keyOf(user: string): PersonKey {
  return personKey('default', user);
}

/** Some user of each shard. */
export function usersByShard(shards: number): string[] {
  return Array.from({ length: shards }, (_, shard) => {
    for (let at = 0; ; at++) if (shardOf(keyOf(`r${at}`), shards) === shard) return `r${at}`;
  });
}
