/**
 * Reads a topic as a member of a consumer group, for as long as it is not stopped. Whatever fails (a broker, the group, a
 * topic that is not there yet) ends the session at hand; a new one is opened after a pause, and goes on from what was
 * committed. Nothing that lies in the topic can end it.
 */
import { type BaseOptions, Consumer, type ConsumerOptions, ListOffsetTimestamps } from '@platformatic/kafka';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Log } from '../../base/log.ts';
import { GroupSession } from './group-session.ts';
import { PartitionFetcher } from './partition-fetcher.ts';
import type { PartitionRun, Take } from './partition-run.ts';
import type { TopicTally } from './topic-tally.ts';

export interface TopicReaderParts {
  readonly kafka: BaseOptions;
  readonly topic: string;
  readonly group: string;
  readonly take: Take;
  readonly clock: Clock;
  readonly log: Log;
  readonly tally: TopicTally;
  /** A fault in the program. */
  readonly onFault: (error: unknown) => void;
}

/** A member of the group meets refusals in the ordinary course of a rebalance. Fetches are tried again where it is seen. */
const memberRetries = 5;

interface Open {
  readonly session: GroupSession;
  readonly fetcher: PartitionFetcher;
  readonly clients: readonly Consumer[];
}

export class TopicReader {
  readonly #parts: TopicReaderParts;
  readonly #stopLag: () => void;
  #open: Open | null = null;
  #cancelRetry = (): void => {};
  #isStopped = false;
  /** A failure has been logged and nothing has worked since. */
  #isFailing = false;

  constructor(parts: TopicReaderParts) {
    this.#parts = parts;
    this.#stopLag = parts.clock.every(limits.topicLagEveryMs, () => void this.#measureLag());
    this.#openSession();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopLag();
    this.#cancelRetry();
    const open = this.#open;
    if (open === null) return;
    open.fetcher.stop();
    await open.session.close().catch((error: unknown) => this.#failed(error));
    this.#discard(open);
  }

  #openSession(): void {
    const { topic, clock, take, tally, onFault } = this.#parts;
    const [member, fetching] = [this.#client(memberRetries), this.#client(0)];
    const session = new GroupSession({
      client: member,
      topic,
      clock,
      take,
      onRoom: () => fetcher.look(),
      onJoined: (partitions) => this.#joined(partitions),
      onFailed: (error) => this.#reopen(error),
      onFault,
    });
    const fetcher = new PartitionFetcher({
      client: fetching,
      topic,
      runs: session.runs,
      clock,
      onFailure: (error) => this.#failed(error),
      onSkipped: (partition, from, messages) => tally.skipped(partition, from, messages),
    });
    this.#open = { session, fetcher, clients: [member, fetching] };
    session.open();
  }

  #reopen(error: unknown): void {
    this.#failed(error);
    if (this.#open !== null) this.#discard(this.#open);
    if (!this.#isStopped) this.#cancelRetry = this.#parts.clock.after(limits.topicRetryMs, () => this.#openSession());
  }

  #discard({ session, fetcher, clients }: Open): void {
    this.#open = null;
    fetcher.stop();
    session.abandon();
    // Its connections may be what failed.
    for (const client of clients) client.close(true).catch(() => {});
  }

  #joined(partitions: number): void {
    this.#isFailing = false;
    this.#parts.log.write('topicJoined', { count: partitions });
  }

  /** Said once, until something works again. */
  #failed(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#parts.log.write('topicFailed', {}, error);
  }

  async #measureLag(): Promise<void> {
    const { topic, clock, tally } = this.#parts;
    tally.tick();
    const open = this.#open;
    if (open === null) return;
    const runs = [...open.session.runs.values()];
    const oldestMs = Math.min(clock.now(), ...runs.map((run) => run.oldestMs ?? clock.now()));
    try {
      tally.behind(await behind(open.clients[1] as Consumer, topic, runs), clock.now() - oldestMs);
    } catch (error) {
      this.#failed(error);
    }
  }

  #client(retries: number): Consumer {
    const { kafka, group } = this.#parts;
    return new Consumer({
      ...kafka,
      groupId: group,
      autocommit: false,
      sessionTimeout: limits.topicSessionMs,
      rebalanceTimeout: limits.topicSessionMs,
      heartbeatInterval: limits.topicSessionMs / 5,
      heartbeatStallTimeout: limits.topicSessionMs,
      maxWaitTime: limits.topicFetchWaitMs,
      retries,
    } as ConsumerOptions<Buffer, Buffer, Buffer, Buffer>);
  }
}

async function behind(client: Consumer, topic: string, runs: readonly PartitionRun[]): Promise<number> {
  if (runs.length === 0) return 0;
  const partitions = { [topic]: runs.map(({ partition }) => partition) };
  const ends = (await client.listOffsets({ topics: [topic], partitions, timestamp: ListOffsetTimestamps.LATEST })).get(
    topic,
  );
  return runs.reduce((sum, { partition, taken }) => sum + Math.max(0, Number(ends?.[partition] ?? 0n) - taken), 0);
}
