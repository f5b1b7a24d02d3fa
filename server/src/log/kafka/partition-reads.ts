/**
 * Questions to the leader of one partition that are answered at once: its ends, an offset by time, records from an
 * offset on. Tried a few times with a pause, since leaders move; then the answer is CARILLON_LOG_UNAVAILABLE.
 */
import { type Base, type Connection, listOffsetsV7 } from '@platformatic/kafka';
import { CarillonError } from '../../base/carillon-error.ts';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { type FetchedPartition, fetchPartitions } from './fetch-partitions.ts';
import { isPassing, logUnavailable } from './log-unavailable.ts';
import { PartitionLeaders } from './partition-leaders.ts';

export interface Partition {
  readonly topic: string;
  readonly partition: number;
}

const latest = -1n;
const earliest = -2n;

export class PartitionReads {
  readonly #leaders: PartitionLeaders;
  readonly #clock: Clock;

  constructor(client: Base, topics: readonly string[], clock: Clock) {
    this.#leaders = new PartitionLeaders(client, topics);
    this.#clock = clock;
  }

  /** The offset of the oldest record kept, and the one behind the newest. */
  async ends(where: Partition): Promise<{ start: number; end: number }> {
    const [start, end] = await Promise.all([this.#offset(where, earliest), this.#offset(where, latest)]);
    return { start, end };
  }

  /** The first offset of a record stamped at or after `timeMs`; behind the newest where there is none. */
  async offsetAt(where: Partition, timeMs: number): Promise<number> {
    const isTime = Number.isFinite(timeMs);
    const offset = isTime ? await this.#offset(where, BigInt(Math.max(0, Math.ceil(timeMs)))) : -1;
    return offset >= 0 ? offset : this.#offset(where, latest);
  }

  /** One try, for readers that try on by themselves. */
  async fetchOnce({ topic, partition }: Partition, offset: number, waitMs: number): Promise<FetchedPartition> {
    try {
      await this.#leaders.load();
      const connection = await this.#leaders.connection(this.#leaders.of(topic, partition));
      const place = { topic, partition, offset, bytesMax: limits.fetchBytesMax };
      const [fetched] = await fetchPartitions(connection, [place], { waitMs, bytesMax: limits.fetchBytesMax });
      if (fetched === undefined) throw logUnavailable('A broker of the event log did not answer for a partition.');
      if (isPassing(fetched.errorCode)) this.#leaders.forget();
      return fetched;
    } catch (error) {
      this.#leaders.forget();
      throw error;
    }
  }

  /** Records from an offset on, at least one where there is one. The error of the partition is the caller's to judge. */
  fetch(where: Partition, offset: number): Promise<FetchedPartition> {
    return this.#tryOn(async () => {
      const fetched = await this.fetchOnce(where, offset, 0);
      if (isPassing(fetched.errorCode)) throw logUnavailable(`Kafka answered with error ${fetched.errorCode}.`);
      return fetched;
    });
  }

  #offset({ topic, partition }: Partition, timestamp: bigint): Promise<number> {
    return this.#tryOn(async () => {
      await this.#leaders.load();
      const connection: Connection = await this.#leaders.connection(this.#leaders.of(topic, partition));
      const partitions = [{ partitionIndex: partition, currentLeaderEpoch: -1, timestamp }];
      const { topics } = await listOffsetsV7.api.async(connection, -1, 0, [{ name: topic, partitions }]);
      return Number(topics[0]?.partitions[0]?.offset ?? -1n);
    });
  }

  async #tryOn<Answer>(action: () => Promise<Answer>): Promise<Answer> {
    for (let left = limits.kafkaTriesMax; ; left--) {
      try {
        return await action();
      } catch (error) {
        this.#leaders.forget();
        if (left <= 1) throw asUnavailable(error);
        await new Promise<void>((resolve) => this.#clock.after(limits.kafkaRetryMs, resolve));
      }
    }
  }
}

function asUnavailable(error: unknown): CarillonError {
  return error instanceof CarillonError ? error : logUnavailable('The event log cannot be read now.', error);
}
