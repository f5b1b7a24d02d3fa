/**
 * Fetches for all partitions that have room, one request at a time for each broker that leads some of them. What comes
 * back for a partition that was lost or moved meanwhile is dropped (BC-13). Its client is not the group's: a request that
 * waits for news would hold up heartbeats.
 */
import { type Consumer, ListOffsetTimestamps } from '@platformatic/kafka';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { PartitionRun } from './partition-run.ts';
import { type FetchResponse, readCommitted } from './read-committed.ts';

/** Error code of the protocol: the log begins behind this offset, or ends before it. */
const offsetOutOfRange = 1;

export interface PartitionFetcherParts {
  readonly client: Consumer;
  readonly topic: string;
  readonly runs: ReadonlyMap<number, PartitionRun>;
  readonly clock: Clock;
  /** It is tried again. */
  readonly onFailure: (error: unknown) => void;
  /** Messages from `from` on were deleted before they could be fetched. */
  readonly onSkipped: (partition: number, from: number, messages: number) => void;
}

/** What is asked of one partition. */
interface Asked {
  readonly run: PartitionRun;
  readonly from: number;
}

export class PartitionFetcher {
  readonly #parts: PartitionFetcherParts;
  /** Brokers with a request under way. */
  readonly #busy = new Set<number>();
  #isLooking = false;
  #isStopped = false;

  constructor(parts: PartitionFetcherParts) {
    this.#parts = parts;
    parts.client.topics.track(parts.topic);
  }

  /** Something may be fetched now. */
  look(): void {
    if (this.#isLooking || this.#isStopped || ![...this.#parts.runs.values()].some((run) => run.hasRoom)) return;
    this.#isLooking = true;
    void this.#look().finally(() => {
      this.#isLooking = false;
    });
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #look(): Promise<void> {
    const { client, topic, runs } = this.#parts;
    try {
      const { id, partitions } = (await client.metadata({ topics: [topic] })).topics.get(topic) ?? noTopic();
      const byLeader = new Map<number, Asked[]>();
      for (const run of runs.values()) {
        const leader = partitions[run.partition]?.leader;
        if (!run.hasRoom || leader === undefined || this.#busy.has(leader)) continue;
        byLeader.set(leader, [...(byLeader.get(leader) ?? []), { run, from: run.fetchAt }]);
      }
      for (const [leader, asked] of byLeader) void this.#fetch(leader, id, asked);
    } catch (error) {
      this.#failed(error, () => this.look());
    }
  }

  async #fetch(node: number, topicId: string, asked: readonly Asked[]): Promise<void> {
    const { client } = this.#parts;
    const free = (): void => {
      this.#busy.delete(node);
      this.look();
    };
    this.#busy.add(node);
    try {
      const partitions = asked.map(({ run, from }) => ({
        partition: run.partition,
        fetchOffset: BigInt(from),
        partitionMaxBytes: limits.topicBufferBytesMax,
        currentLeaderEpoch: -1,
        lastFetchedEpoch: -1,
      }));
      this.#deliver(await client.fetch({ node, topics: [{ topicId, partitions }] }), asked);
      free();
    } catch (error) {
      if (await this.#moved(error, asked)) free();
      else this.#failed(error, free);
    }
  }

  #deliver(response: FetchResponse, asked: readonly Asked[]): void {
    for (const part of response.responses.flatMap(({ partitions }) => partitions)) {
      const found = asked.find(({ run }) => run.partition === part.partitionIndex);
      if (found === undefined || found.run.isOver || found.run.fetchAt !== found.from) continue;
      for (const chunk of readCommitted(this.#parts.topic, part, found.from)) found.run.add(chunk);
    }
  }

  /**
   * Partitions whose offset Kafka does not have any more go on from the oldest that it has. What was deleted unread is
   * counted and logged (N3a): only a longer retention of the topic could have kept it.
   */
  async #moved(error: unknown, asked: readonly Asked[]): Promise<boolean> {
    const response = (error as { response?: FetchResponse }).response;
    const outOfRange = new Set(
      (response?.responses ?? [])
        .flatMap(({ partitions }) => partitions)
        .filter(({ errorCode }) => errorCode === offsetOutOfRange)
        .map(({ partitionIndex }) => partitionIndex),
    );
    if (outOfRange.size === 0) return false;
    const { client, topic, onSkipped } = this.#parts;
    try {
      const partitions = { [topic]: [...outOfRange] };
      const timestamp = ListOffsetTimestamps.EARLIEST;
      const oldest = (await client.listOffsets({ topics: [topic], partitions, timestamp })).get(topic) ?? [];
      for (const { run, from } of asked) {
        const offset = oldest[run.partition];
        if (!outOfRange.has(run.partition) || offset === undefined || run.isOver) continue;
        onSkipped(run.partition, from, Math.max(0, Number(offset) - from));
        run.moveTo(Number(offset));
      }
      return true;
    } catch {
      return false;
    }
  }

  #failed(error: unknown, again: () => void): void {
    if (this.#isStopped) return;
    this.#parts.onFailure(error);
    this.#parts.clock.after(limits.topicRetryMs, again);
  }
}

function noTopic(): never {
  throw new Error('the events topic does not exist');
}
