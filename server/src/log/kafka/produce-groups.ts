/**
 * Group commit over Kafka: what arrives while one produce is under way goes together in the next, up to
 * `produceBytesMax`; a batch that does not fit is spread over several and resolves with the last.
 *
 *   idle ──append──▶ producing ──acknowledged──▶ producing the next group, or idle
 *                        └──produceWaitMs──▶ late ──the client comes to an end──▶ idle
 *
 * The client tries for ever under the same sequence numbers, so a group that is late is refused to its callers and yet
 * left to the client: it turns up once and before anything later, or never. Meanwhile all appends are refused at once:
 * nothing piles up behind it.
 * Repeats of what this process appended a short while ago are told; after a failure nothing is known for certain.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { CarillonError } from '../../base/carillon-error.ts';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { checkedRecords } from '../checked-records.ts';
import type { AppendStatus } from '../event-log.ts';
import { type PackedBatch, RecordView, recordHeaderBytes } from '../record.ts';
import { IdentityMemory } from './identity-memory.ts';
import type { LaneTopics } from './lane-topics.ts';
import { logUnavailable } from './log-unavailable.ts';

export interface ProducedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly key: Buffer;
  readonly value: Buffer;
  readonly timestamp: bigint;
}

/** The part of Kafka's producer that is needed. */
export interface MessageProducer {
  send(options: { messages: ProducedMessage[] }): Promise<{ offsets?: readonly ProducedOffset[] }>;
}

interface ProducedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** Records of one (shard, lane) are durable; they end before `end`, which is unknown (-1) where the broker does not say. */
export interface Produced {
  readonly shard: number;
  readonly lane: Lane;
  readonly end: number;
  readonly recordBytes: number;
}

export interface ProduceGroupsParts {
  readonly producer: MessageProducer;
  readonly topics: LaneTopics;
  readonly shards: number;
  readonly clock: Clock;
  readonly onProduced: (produced: readonly Produced[]) => void;
}

interface Waiting {
  readonly buffer: Buffer;
  readonly statuses: AppendStatus[];
  readonly resolve: (statuses: AppendStatus[]) => void;
  readonly reject: (error: CarillonError) => void;
  /** Where the first record lies that is in no group yet, in bytes and in records. */
  offset: number;
  index: number;
}

export class ProduceGroups {
  readonly #parts: ProduceGroupsParts;
  readonly #view = new RecordView();
  readonly #identities = new IdentityMemory(limits.identityBytesMax);
  #records = 0;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | null = null;
  #isLate = false;
  #isClosed = false;

  constructor(parts: ProduceGroupsParts) {
    this.#parts = parts;
  }

  /** Bytes that wait to be durable. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  append(batch: PackedBatch): Promise<AppendStatus[]> {
    if (this.#isClosed) return Promise.reject(new CarillonError('CARILLON_DRAINING', 'The event log is closed.'));
    if (this.#isLate) return Promise.reject(logUnavailable('The event log does not answer now.'));
    return new Promise((resolve, reject) => {
      const buffer = checkedRecords(batch);
      this.#checkShards(buffer);
      const statuses = new Array<AppendStatus>(batch.count).fill('accepted');
      this.#waiting.push({ buffer, statuses, resolve, reject, offset: 0, index: 0 });
      this.#waitingBytes += buffer.length;
      this.#running ??= this.#run();
    });
  }

  /** Takes no more; resolves once what waits is stored or refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // What else comes in this turn belongs to the first group.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const { messages, bytes, finished } = this.#stage();
      try {
        if (messages.length > 0) await this.#produce(messages);
      } catch (error) {
        this.#refuse(error as CarillonError);
        continue;
      }
      this.#waitingBytes -= bytes;
      for (const { resolve, statuses } of this.#waiting.splice(0, finished)) resolve(statuses);
    }
    this.#running = null;
  }

  /** The next group; the first `finished` of those that wait are whole with it. */
  #stage(): { messages: ProducedMessage[]; bytes: number; finished: number } {
    const messages: ProducedMessage[] = [];
    let bytes = 0;
    for (const [at, waiting] of this.#waiting.entries()) {
      const { buffer, statuses } = waiting;
      while (waiting.offset < buffer.length) {
        const start = waiting.offset;
        const end = this.#view.move(buffer, start);
        if (bytes > 0 && bytes + end - start > limits.produceBytesMax) return { messages, bytes, finished: at };
        const place = this.#records++;
        if (this.#identities.firstPlace(buffer, start, place) !== place) statuses[waiting.index] = 'duplicate';
        else messages.push(this.#message(buffer, start, end));
        bytes += end - start;
        waiting.offset = end;
        waiting.index++;
      }
    }
    return { messages, bytes, finished: this.#waiting.length };
  }

  #message(buffer: Buffer, start: number, end: number): ProducedMessage {
    const { lane, shard, acceptedMs } = this.#view;
    return {
      topic: this.#parts.topics.of(lane),
      partition: shard,
      key: firstRecipientKey(buffer, start),
      value: buffer.subarray(start, end),
      timestamp: BigInt(Math.trunc(acceptedMs)),
    };
  }

  /** Rejects with a CarillonError when the group is not durable in time. */
  async #produce(messages: ProducedMessage[]): Promise<void> {
    const sent = this.#parts.producer.send({ messages });
    let cancel = (): void => {};
    const tooLong = new Promise<'late'>((resolve) => {
      cancel = this.#parts.clock.after(limits.produceWaitMs, () => resolve('late'));
    });
    const result = await Promise.race([sent, tooLong])
      .catch((error: unknown) => {
        throw logUnavailable('The event log did not take the events.', error);
      })
      .finally(cancel);
    if (result === 'late') {
      this.#awaitLate(sent);
      throw logUnavailable('The event log did not answer in time.');
    }
    this.#parts.onProduced(producedOf(messages, result.offsets ?? [], this.#parts.topics));
  }

  #awaitLate(sent: Promise<unknown>): void {
    this.#isLate = true;
    const settled = (): void => {
      this.#isLate = false;
    };
    sent.then(settled, settled);
  }

  /** All that waits fails together: the next try would only meet the same brokers, and callers send again anyway. */
  #refuse(error: CarillonError): void {
    this.#identities.clear();
    this.#waitingBytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** A client would silently send a record of a shard that is none to some other partition. */
  #checkShards(buffer: Buffer): void {
    for (let at = 0; at < buffer.length; ) {
      at = this.#view.move(buffer, at);
      if (this.#view.shard < this.#parts.shards) continue;
      throw new CarillonError('CARILLON_INTERNAL', `A record is for shard ${this.#view.shard}, which does not exist.`);
    }
  }
}

/** Tenant, U+0001, user: the person key, from the record's tail; without a user where the record is for an audience. */
function firstRecipientKey(buffer: Buffer, start: number): Buffer {
  const tail = start + recordHeaderBytes + buffer.readUInt32LE(start + 12);
  const tenantBytes = buffer.readUInt16LE(tail);
  const user = tail + 2 + tenantBytes;
  const hasUser = buffer.readUInt16LE(start + 10) > 0;
  const userBytes = hasUser ? buffer.readUInt16LE(user) : 0;
  const key = Buffer.allocUnsafe(tenantBytes + 1 + userBytes);
  buffer.copy(key, 0, tail + 2, user);
  key[tenantBytes] = 1;
  if (hasUser) buffer.copy(key, tenantBytes + 1, user + 2, user + 2 + userBytes);
  return key;
}

function producedOf(
  messages: readonly ProducedMessage[],
  offsets: readonly ProducedOffset[],
  topics: LaneTopics,
): Produced[] {
  const parts = new Map<string, { topic: string; partition: number; count: number; bytes: number }>();
  for (const { topic, partition, value } of messages) {
    const key = `${topic}/${partition}`;
    const part = parts.get(key) ?? { topic, partition, count: 0, bytes: 0 };
    part.count++;
    part.bytes += value.length;
    parts.set(key, part);
  }
  const bases = new Map(offsets.map(({ topic, partition, offset }) => [`${topic}/${partition}`, Number(offset)]));
  return [...parts].map(([key, { topic, partition, count, bytes }]) => {
    const base = bases.get(key) ?? -1;
    const lane = topics.laneOf(topic) ?? lanes[0];
    return { shard: partition, lane, end: base < 0 ? -1 : base + count, recordBytes: bytes / count };
  });
}
