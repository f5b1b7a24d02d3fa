/**
 * One fetch per broker for all readers that have room, waiting there for something new: so a process hears of what
 * others append, over one connection per broker however many shards it owns.
 *
 *   stopped ──a reader with room──▶ polling ──answered──▶ polling again, with whoever has room then
 *                                          └──failed──▶ paused ──kafkaRetryMs──▶ polling, leaders learnt again
 *
 * A reader that is being fetched for otherwise, or is full, is left out and joins the next poll.
 */
import type { Base } from '@platformatic/kafka';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { type FetchedPartition, type FetchPlace, fetchPartitions } from './fetch-partitions.ts';
import type { KafkaReader } from './kafka-reader.ts';
import { PartitionLeaders } from './partition-leaders.ts';

/** Takes the answer for one reader. False when the partition's leader must be learnt again. */
export type Deliver = (reader: KafkaReader, fetched: FetchedPartition) => Promise<boolean>;

export class TailPolls {
  readonly #leaders: PartitionLeaders;
  readonly #clock: Clock;
  readonly #deliver: Deliver;
  readonly #readers = new Set<KafkaReader>();
  readonly #polling = new Set<number>();
  #isPaused = false;
  #isStopped = false;

  constructor({ client, topics, clock }: { client: Base; topics: readonly string[]; clock: Clock }, deliver: Deliver) {
    this.#leaders = new PartitionLeaders(client, topics);
    this.#clock = clock;
    this.#deliver = deliver;
  }

  add(reader: KafkaReader): void {
    this.#readers.add(reader);
    this.schedule();
  }

  remove(reader: KafkaReader): void {
    this.#readers.delete(reader);
  }

  /** Starts what polls can start. To be called whenever a reader may have become free. */
  schedule(): void {
    if (this.#isStopped || this.#isPaused || this.#readers.size === 0) return;
    if (!this.#leaders.isKnown) {
      this.#leaders.load().then(
        () => this.schedule(),
        () => this.#pause(),
      );
      return;
    }
    for (const [node, readers] of this.#byLeader()) void this.#poll(node, readers);
  }

  stop(): void {
    this.#isStopped = true;
    this.#readers.clear();
  }

  /** Readers that can be fetched for, by the broker that leads, where no poll is under way. */
  #byLeader(): Map<number | undefined, KafkaReader[]> {
    const found = new Map<number | undefined, KafkaReader[]>();
    for (const reader of this.#readers) {
      if (!reader.canFetch) continue;
      const node = this.#leaders.of(reader.topic, reader.shard);
      if (node !== undefined && this.#polling.has(node)) continue;
      const readers = found.get(node);
      if (readers === undefined) found.set(node, [reader]);
      else readers.push(reader);
    }
    return found;
  }

  async #poll(node: number | undefined, readers: readonly KafkaReader[]): Promise<void> {
    if (node !== undefined) this.#polling.add(node);
    for (const reader of readers) reader.begin();
    let isSound = true;
    try {
      const connection = await this.#leaders.connection(node);
      const answer = await fetchPartitions(connection, readers.map(placeOf), {
        waitMs: limits.fetchWaitMs,
        bytesMax: limits.fetchAllBytesMax,
      });
      isSound = await this.#hand(readers, answer);
    } catch {
      isSound = false;
    }
    for (const reader of readers) reader.end();
    if (node !== undefined) this.#polling.delete(node);
    if (isSound) this.schedule();
    else this.#pause();
  }

  async #hand(readers: readonly KafkaReader[], answer: readonly FetchedPartition[]): Promise<boolean> {
    const byPlace = new Map(readers.map((reader) => [`${reader.topic}/${reader.shard}`, reader]));
    let isSound = true;
    for (const fetched of answer) {
      const reader = byPlace.get(`${fetched.topic}/${fetched.partition}`);
      if (reader !== undefined && !(await this.#deliver(reader, fetched))) isSound = false;
    }
    return isSound;
  }

  /** Polls under way go on; none begins until some time has passed. */
  #pause(): void {
    this.#leaders.forget();
    if (this.#isPaused || this.#isStopped) return;
    this.#isPaused = true;
    this.#clock.after(limits.kafkaRetryMs, () => {
      this.#isPaused = false;
      this.schedule();
    });
  }
}

function placeOf(reader: KafkaReader): FetchPlace {
  return { topic: reader.topic, partition: reader.shard, offset: reader.fetchAt, bytesMax: limits.fetchBytesMax };
}
