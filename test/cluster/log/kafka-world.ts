/** A log on a real Kafka for one test: topics of its own under a random prefix, removed with it. */
import type { TestContext } from 'node:test';
import { systemClock } from '../../../server/src/base/clock.ts';
import { systemRandom } from '../../../server/src/base/random.ts';
import { EventLogKafka, type KafkaLogOptions, type MovedPosition } from '../../../server/src/log/event-log-kafka.ts';
import { ensureTopics } from '../../../server/src/log/kafka/ensure-topics.ts';
import { KafkaClients } from '../../../server/src/log/kafka/kafka-clients.ts';
import type { UnreadableMessage } from '../../../server/src/log/kafka/kafka-reader.ts';
import { LaneTopics } from '../../../server/src/log/kafka/lane-topics.ts';

export const brokers = (process.env.KAFKA_BROKERS ?? '127.0.0.1:19092').split(',');

export class KafkaWorld {
  readonly topicPrefix = `test-${systemRandom.hex(6)}`;
  readonly shards: number;
  readonly #brokers: readonly string[];
  readonly unreadable: UnreadableMessage[] = [];
  readonly moved: MovedPosition[] = [];
  readonly #clients: KafkaClients[] = [];
  readonly #logs: EventLogKafka[] = [];

  private constructor(shards: number, at: readonly string[]) {
    this.shards = shards;
    this.#brokers = at;
  }

  static async open(shards = 4, at: readonly string[] = brokers): Promise<KafkaWorld> {
    const world = new KafkaWorld(shards, at);
    const { topicPrefix } = world;
    try {
      await ensureTopics(world.clients().admin, { topicPrefix, shards, replicationFactor: 1, keptMs: -1 });
    } catch (error) {
      await world.dispose();
      throw error;
    }
    return world;
  }

  /** One that is disposed of after the test. */
  static async for(t: TestContext, shards = 4, at: readonly string[] = brokers): Promise<KafkaWorld> {
    const world = await KafkaWorld.open(shards, at);
    t.after(() => world.dispose());
    return world;
  }

  get topics(): LaneTopics {
    return new LaneTopics(this.topicPrefix);
  }

  /** Connections of a process of their own. */
  clients(): KafkaClients {
    const clients = new KafkaClients({ brokers: this.#brokers, clientId: 'carillon-test' });
    this.#clients.push(clients);
    return clients;
  }

  /** A log as another process would open it. */
  log(more: Partial<KafkaLogOptions> = {}): EventLogKafka {
    const { topicPrefix, shards } = this;
    const log = new EventLogKafka({
      clients: more.clients ?? this.clients(),
      topicPrefix,
      shards,
      clock: systemClock,
      lostPosition: 'stop',
      onUnreadable: (message) => this.unreadable.push(message),
      onMoved: (moved) => this.moved.push(moved),
      ...more,
    });
    this.#logs.push(log);
    return log;
  }

  async dispose(): Promise<void> {
    for (const log of this.#logs) await log.close();
    try {
      await this.#clients[0]?.admin.deleteTopics({ topics: [...this.topics.names] });
    } finally {
      for (const clients of this.#clients) await clients.close();
    }
  }
}
