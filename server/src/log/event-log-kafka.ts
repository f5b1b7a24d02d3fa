/**
 * The cluster engine's event log: a topic per lane, a partition per shard, an offset as position.
 *
 * Appends go in groups, one produce at a time (`kafka/produce-groups.ts`); an append that is not acknowledged in time is
 * refused with CARILLON_LOG_UNAVAILABLE and may turn up all the same.
 * Readers of all shards share one waiting fetch per broker (`kafka/tail-polls.ts`); one that is known to be behind is
 * fetched for by itself, so that a backlog is read at full speed. Readers of one shard share the memory of identities
 * and drop repeats; it is filled from the records before each reader's position and goes when the last one is closed.
 * Decisions and measurements: docs/adr/0010-log-on-kafka.md.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { AppendListeners } from './append-listeners.ts';
import {
  type AppendStatus,
  type AppliedPosition,
  type EventLog,
  type LogReader,
  type Position,
  startPosition,
} from './event-log.ts';
import type { FetchedPartition } from './kafka/fetch-partitions.ts';
import { IdentityMemory } from './kafka/identity-memory.ts';
import type { KafkaClients } from './kafka/kafka-clients.ts';
import { KafkaReader, placeOf, type ReaderHost, type UnreadableMessage } from './kafka/kafka-reader.ts';
import { LaneTopics } from './kafka/lane-topics.ts';
import { isPassing, logUnavailable, offsetOutOfRange, positionRefused } from './kafka/log-unavailable.ts';
import { type Partition, PartitionReads } from './kafka/partition-reads.ts';
import { type MessageProducer, type Produced, ProduceGroups } from './kafka/produce-groups.ts';
import { visitRecords } from './kafka/record-batches.ts';
import { TailPolls } from './kafka/tail-polls.ts';
import { type PackedBatch, RecordView, recordHeaderBytes } from './record.ts';

/** A reader went on from a later position than it had: `from` to `to` is lost. Only with `lostPosition: 'earliest'`. */
export interface MovedPosition {
  readonly shard: number;
  readonly lane: Lane;
  readonly from: Position;
  readonly to: Position;
}

export interface KafkaLogOptions {
  readonly clients: Pick<KafkaClients, 'tailing' | 'reading' | 'admin'> & { readonly producer: MessageProducer };
  readonly topicPrefix: string;
  readonly shards: number;
  readonly clock: Clock;
  /** What to do when records before a position are gone: stop the reader, or go on from the oldest kept and tell. */
  readonly lostPosition: 'stop' | 'earliest';
  /** Both are called synchronously and must not throw. */
  readonly onUnreadable: (message: UnreadableMessage) => void;
  readonly onMoved: (moved: MovedPosition) => void;
}

/** What the readers of one shard have in common. */
interface OpenShard {
  readonly identities: IdentityMemory;
  readonly readers: Set<KafkaReader>;
}

export class EventLogKafka implements EventLog {
  readonly #options: KafkaLogOptions;
  readonly #topics: LaneTopics;
  readonly #reads: PartitionReads;
  readonly #tails: TailPolls;
  readonly #groups: ProduceGroups;
  readonly #listeners = new AppendListeners();
  readonly #shards = new Map<number, OpenShard>();
  readonly #host: ReaderHost;

  constructor(options: KafkaLogOptions) {
    const { clients, topicPrefix, shards, clock } = options;
    const topics = new LaneTopics(topicPrefix);
    this.#options = options;
    this.#topics = topics;
    this.#reads = new PartitionReads(clients.reading, topics.names, clock);
    this.#tails = new TailPolls({ client: clients.tailing, topics: topics.names, clock }, (reader, fetched) =>
      this.#deliver(reader, fetched),
    );
    const onProduced = (produced: readonly Produced[]): void => this.#noteProduced(produced);
    this.#groups = new ProduceGroups({ producer: clients.producer, topics, shards, clock, onProduced });
    this.#host = {
      fetch: (reader) => this.#fetch(reader),
      hasRoom: () => this.#tails.schedule(),
      unreadable: options.onUnreadable,
      closed: (reader) => this.#closed(reader),
    };
  }

  /** Bytes handed to `append` that are not durable yet. */
  get waitingBytes(): number {
    return this.#groups.waitingBytes;
  }

  append(batch: PackedBatch): Promise<AppendStatus[]> {
    return this.#groups.append(batch);
  }

  async open(shard: number, lane: Lane, from: Position): Promise<LogReader> {
    const topic = this.#topics.of(lane);
    const { start, end } = await this.#reads.ends({ topic, partition: shard });
    const position = this.#begin({ shard, lane, from, to: start });
    if (position > end) throw positionRefused(position, `is not valid: the log ends at ${end}`);
    const open = this.#shard(shard);
    const reader = new KafkaReader({ shard, lane, topic, from: position, end }, open.identities, this.#host);
    // Before the tail is read: what holds the memory is that some reader is open.
    open.readers.add(reader);
    try {
      await this.#remember(reader, open.identities, start);
    } catch (error) {
      reader.close();
      throw error;
    }
    // What waits is fetched at once, so that its bytes are known and the first pull need not wait.
    if (position < end) await this.#fetch(reader);
    this.#tails.add(reader);
    return reader;
  }

  onAppend(shard: number, listener: () => void): () => void {
    return this.#listeners.add(shard, listener);
  }

  positionAt(shard: number, lane: Lane, timeMs: number): Promise<Position> {
    return this.#reads.offsetAt({ topic: this.#topics.of(lane), partition: shard }, timeMs);
  }

  async acceptedAt(shard: number, lane: Lane, position: Position): Promise<number | null> {
    const where = { topic: this.#topics.of(lane), partition: shard };
    const from = position === startPosition ? (await this.#reads.ends(where)).start : position;
    const { records, errorCode } = await this.#reads.fetch(where, from);
    if (errorCode !== 0) throw positionRefused(position, `cannot be read: Kafka answered with error ${errorCode}`);
    const view = new RecordView();
    let acceptedMs: number | null = null;
    visitRecords(records, from, (_, bytes, start) => {
      if (acceptedMs !== null || start < 0) return;
      view.move(bytes, start);
      acceptedMs = view.acceptedMs;
    });
    return acceptedMs;
  }

  /** What a broker keeps for how long is the topics' own setting; this drops sooner what is applied. */
  async trim(timeMs: number, applied: AppliedPosition): Promise<number> {
    let records = 0;
    for (let shard = 0; shard < this.#options.shards; shard++) {
      for (const lane of lanes) records += await this.#trimLane(shard, lane, timeMs, applied(shard, lane));
    }
    return records * limits.recordBytesTypical;
  }

  /** Stores or refuses what waits. The clients are not closed here. */
  async close(): Promise<void> {
    await this.#groups.close();
    this.#tails.stop();
  }

  /** Where a reader begins; throws when that is no longer kept and may not be moved. */
  #begin(place: MovedPosition): Position {
    if (place.from === startPosition) return place.to;
    if (place.from >= place.to) return place.from;
    if (this.#options.lostPosition === 'stop') {
      const why = `is no longer kept: records behind it were dropped; the oldest is ${place.to}`;
      throw positionRefused(place.from, why);
    }
    this.#options.onMoved(place);
    return place.to;
  }

  #shard(shard: number): OpenShard {
    let open = this.#shards.get(shard);
    if (open === undefined) {
      open = { identities: new IdentityMemory(limits.identityBytesMax), readers: new Set() };
      this.#shards.set(shard, open);
    }
    return open;
  }

  /** Reads the records before the position once more, for their identities: they are applied. */
  async #remember(reader: KafkaReader, identities: IdentityMemory, start: Position): Promise<void> {
    const { topic, shard, lane, fetchAt } = reader;
    const laneIndex = lanes.indexOf(lane);
    for (let at = Math.max(start, fetchAt - limits.identityTailRecords); at < fetchAt; ) {
      const { records, errorCode } = await this.#reads.fetch({ topic, partition: shard }, at);
      const next = visitRecords(records, at, (offset, bytes, from, to) => {
        if (offset >= fetchAt || to - from < recordHeaderBytes) return;
        identities.firstPlace(bytes, from, placeOf(offset, laneIndex));
      });
      // Dropped meanwhile, or nothing there: what cannot be read cannot be remembered.
      if (errorCode !== 0 || next === at) return;
      at = next;
    }
  }

  async #fetch(reader: KafkaReader): Promise<boolean> {
    if (reader.underWay !== null) {
      await reader.underWay;
      return true;
    }
    reader.begin();
    try {
      const where: Partition = { topic: reader.topic, partition: reader.shard };
      return await this.#deliver(reader, await this.#reads.fetchOnce(where, reader.fetchAt, limits.fetchWaitMs));
    } catch {
      return false;
    } finally {
      reader.end();
      this.#tails.schedule();
    }
  }

  /** False when it is worth trying again a little later. */
  async #deliver(reader: KafkaReader, fetched: FetchedPartition): Promise<boolean> {
    if (isPassing(fetched.errorCode)) return false;
    if (fetched.errorCode === offsetOutOfRange) return this.#outOfRange(reader);
    let isNew = true;
    try {
      if (fetched.errorCode !== 0) throw logUnavailable(`Kafka refused to read: error ${fetched.errorCode}.`);
      isNew = reader.receive(fetched);
    } catch (error) {
      reader.fail(error as Error);
    }
    if (isNew) this.#listeners.tell([reader.shard]);
    return true;
  }

  /** The broker does not have the reader's position: records were dropped, or the log lost its end. */
  async #outOfRange(reader: KafkaReader): Promise<boolean> {
    const { shard, lane, topic, fetchAt } = reader;
    try {
      const { start, end } = await this.#reads.ends({ topic, partition: shard });
      if (fetchAt > end) throw positionRefused(fetchAt, `is not valid: the log ends at ${end}`);
      reader.moveTo(this.#begin({ shard, lane, from: fetchAt, to: start }));
    } catch (error) {
      if (error instanceof CarillonError && error.code === 'CARILLON_LOG_UNAVAILABLE') return false;
      reader.fail(error as Error);
    }
    this.#listeners.tell([shard]);
    return true;
  }

  #noteProduced(produced: readonly Produced[]): void {
    for (const { shard, lane, end, recordBytes } of produced) {
      for (const reader of this.#shards.get(shard)?.readers ?? []) {
        if (reader.lane === lane) reader.noteEnd(end, recordBytes);
      }
    }
    this.#listeners.tell(produced.map(({ shard }) => shard));
  }

  #closed(reader: KafkaReader): void {
    this.#tails.remove(reader);
    const open = this.#shards.get(reader.shard);
    open?.readers.delete(reader);
    // Another process may own the shard next: what this one has seen but not applied must not be remembered.
    if (open?.readers.size === 0) this.#shards.delete(reader.shard);
  }

  /** Answers the number of records dropped. */
  async #trimLane(shard: number, lane: Lane, timeMs: number, applied: Position): Promise<number> {
    if (applied === 0) return 0;
    const topic = this.#topics.of(lane);
    const where = { topic, partition: shard };
    const { start } = await this.#reads.ends(where);
    const to = Math.min(applied, await this.#reads.offsetAt(where, timeMs));
    if (to <= start) return 0;
    const partitions = [{ partition: shard, offset: BigInt(to) }];
    await this.#options.clients.admin.deleteRecords({ topics: [{ name: topic, partitions }] });
    return to - start;
  }
}
