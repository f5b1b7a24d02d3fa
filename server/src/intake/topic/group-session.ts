/**
 * Membership of the topic's consumer group, from joining it to the first failure that the client does not mend itself:
 * then `failed` is told, and whoever opened the session closes it and opens another.
 *
 * Partitions of ours that stay ours from one generation to the very next go on undisturbed: nobody else had them in
 * between. All others begin from what the group has committed. Only what has been taken is committed, and never for a
 * partition that was lost meanwhile (BC-08): the client repeats a commit that met a rebalance in the new generation, so
 * each join empties the list that it would repeat.
 */
import { type Consumer, type ConsumerGroupJoinPayload, ListOffsetTimestamps } from '@platformatic/kafka';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { PartitionRun, type Take } from './partition-run.ts';

export interface GroupSessionParts {
  /** A consumer of its own, not yet in the group. */
  readonly client: Consumer;
  readonly topic: string;
  readonly clock: Clock;
  readonly take: Take;
  /** Partitions of this process, or what they have room for, have changed. */
  readonly onRoom: () => void;
  readonly onJoined: (partitions: number) => void;
  /** The session cannot go on. Told once. */
  readonly onFailed: (error: unknown) => void;
  /** A fault in the program. */
  readonly onFault: (error: unknown) => void;
}

interface CommitEntry {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly leaderEpoch: number;
}

export class GroupSession {
  readonly runs = new Map<number, PartitionRun>();
  readonly #parts: GroupSessionParts;
  #memberId: string | null = null;
  #generation = -1;
  #isRebalancing = true;
  #isClosed = false;
  #committing: CommitEntry[] | null = null;
  #cancelCommit: (() => void) | null = null;

  constructor(parts: GroupSessionParts) {
    this.#parts = parts;
    const { client, topic } = parts;
    client.topics.track(topic);
    client.on('consumer:group:join', (payload) => this.#joined(payload));
    client.on('consumer:group:rebalance', () => {
      this.#isRebalancing = true;
    });
    client.on('consumer:heartbeat:stalled', ({ lastError }) => this.#fail(lastError));
    (client as NodeJS.EventEmitter).on('error', (error: unknown) => this.#fail(error));
  }

  /** Joins the group; what goes wrong is told to `onFailed`. */
  open(): void {
    this.#parts.client.joinGroup({}).catch((error: unknown) => this.#fail(error));
  }

  /** Takes the messages at hand to their end if that is soon, commits, and leaves the group. */
  async close(): Promise<void> {
    const finished = Promise.all([...this.runs.values()].map((run) => run.finish()));
    await Promise.race([finished, this.#after(limits.topicStopMs)]);
    this.#cancelCommit?.();
    await Promise.race([this.#commit(), this.#after(limits.topicStopMs)]);
    this.abandon();
    await Promise.race([this.#parts.client.close(true), this.#after(limits.topicStopMs)]);
  }

  /** Stops at once, without a word to anybody. */
  abandon(): void {
    this.#isClosed = true;
    this.#cancelCommit?.();
    for (const run of this.runs.values()) run.end();
    this.runs.clear();
  }

  #joined({ memberId, generationId = 0, assignments = [] }: ConsumerGroupJoinPayload): void {
    // The client may tell the same join twice, where a heartbeat and a commit both found that one was needed.
    if (this.#isClosed || (memberId === this.#memberId && generationId === this.#generation)) return;
    const isNext = memberId === this.#memberId && generationId === this.#generation + 1;
    this.#memberId = memberId;
    this.#generation = generationId;
    this.#isRebalancing = false;
    if (this.#committing !== null) this.#committing.length = 0;
    const ours = new Set(assignments.find(({ topic }) => topic === this.#parts.topic)?.partitions ?? []);
    for (const [partition, run] of this.runs) {
      if (isNext && ours.has(partition)) continue;
      run.end();
      this.runs.delete(partition);
    }
    this.#commitSoon();
    this.#parts.onJoined(ours.size);
    this.#begin(
      [...ours].filter((partition) => !this.runs.has(partition)),
      generationId,
    ).catch((error: unknown) => this.#fail(error));
  }

  async #begin(partitions: readonly number[], generation: number): Promise<void> {
    if (partitions.length > 0) {
      const { client, topic, take, onFault } = this.#parts;
      const asked = { topics: [{ topic, partitions: [...partitions] }] };
      const committed = (await client.listCommittedOffsets(asked)).get(topic) ?? [];
      const oldest = await this.#oldest(partitions.filter((partition) => !isSet(committed[partition])));
      if (this.#isClosed || this.#generation !== generation) return;
      for (const partition of partitions) {
        const from = isSet(committed[partition]) ? committed[partition] : oldest[partition];
        if (from === undefined) throw new Error(`partition ${partition} of the events topic has no offset`);
        const onTaken = (): void => {
          this.#commitSoon();
          this.#parts.onRoom();
        };
        this.runs.set(partition, new PartitionRun({ partition, from: Number(from), take, onTaken, onFault }));
      }
    }
    this.#parts.onRoom();
  }

  async #oldest(partitions: number[]): Promise<bigint[]> {
    if (partitions.length === 0) return [];
    const { client, topic } = this.#parts;
    const timestamp = ListOffsetTimestamps.EARLIEST;
    return (
      (await client.listOffsets({ topics: [topic], partitions: { [topic]: partitions }, timestamp })).get(topic) ?? []
    );
  }

  #commitSoon(): void {
    if (this.#cancelCommit !== null || this.#isClosed) return;
    this.#cancelCommit = this.#parts.clock.after(limits.topicCommitEveryMs, () => {
      this.#cancelCommit = null;
      void this.#commit();
    });
  }

  /** One at a time. Held while the group is being divided anew: the join that follows goes on with it. */
  async #commit(): Promise<void> {
    const due = [...this.runs.values()].filter((run) => run.taken > run.committed);
    if (due.length === 0 || this.#committing !== null || this.#isRebalancing) return;
    const { client, topic } = this.#parts;
    const entries = due.map(({ partition, taken }) => ({ topic, partition, offset: BigInt(taken), leaderEpoch: -1 }));
    this.#committing = entries;
    try {
      await client.commit({ offsets: entries });
      for (const { partition, offset } of entries) {
        const run = this.runs.get(partition);
        if (run !== undefined) run.committed = Number(offset);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#committing = null;
    }
    if ([...this.runs.values()].some((run) => run.taken > run.committed)) this.#commitSoon();
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.abandon();
    this.#parts.onFailed(error);
  }

  #after(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(delayMs, resolve));
  }
}

function isSet(offset: bigint | undefined): offset is bigint {
  return offset !== undefined && offset >= 0n;
}
