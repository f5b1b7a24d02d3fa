/** A real broker with an events topic of its own, the memory log behind it, and what a test looks at. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Lane } from '@carillon/contract/lanes.ts';
import { Admin, type BaseOptions, Consumer, MessagesStreamModes, Producer } from '@platformatic/kafka';
import { systemClock } from '../../../server/src/base/clock.ts';
import type { TenantId } from '../../../server/src/base/ids.ts';
import type { LogFields } from '../../../server/src/base/log.ts';
import type { LogEvent } from '../../../server/src/base/log-events.ts';
import { readSnapshot, Telemetry } from '../../../server/src/base/telemetry.ts';
import { builtInTypes } from '../../../server/src/content/type-catalogue.ts';
import { EventTopic, type EventTopicSettings } from '../../../server/src/intake/event-topic.ts';
import type { IntakeLog } from '../../../server/src/intake/intake-log.ts';
import { createEventTopics } from '../../../server/src/intake/topic/create-event-topics.ts';
import type { AppendStatus } from '../../../server/src/log/event-log.ts';
import { EventLogMemory } from '../../../server/src/log/event-log-memory.ts';
import { clientOptions, type KafkaOptions } from '../../../server/src/log/kafka/kafka-clients.ts';
import { type PackedBatch, RecordView } from '../../../server/src/log/record.ts';

export const brokers = (process.env.KAFKA_BROKERS ?? '127.0.0.1:19092').split(',');

export type Gate = (ids: readonly string[]) => Promise<void>;

/** The log of all processes of a test. */
export class SharedLog implements IntakeLog {
  readonly shards = 1;
  readonly memory = new EventLogMemory();
  readonly unapplied = { direct: 0, social: 0, bulk: 0 };
  /** Ids of the events of each append, in order; also those that the log had already. */
  readonly appends: string[][] = [];
  /** Asked before each append: it waits for the answer, and fails where that rejects. */
  gate: Gate = async () => {};

  async append(batch: PackedBatch): Promise<AppendStatus[]> {
    const ids = idsOf(batch);
    await this.gate(ids);
    this.appends.push(ids);
    return this.memory.append(batch);
  }

  /** The same log as one process sees it, behind a gate of its own. */
  behind(gate: Gate): IntakeLog {
    return {
      shards: this.shards,
      append: async (batch) => {
        await gate(idsOf(batch));
        return this.append(batch);
      },
      waitingBytes: () => 0,
      unappliedBytes: (lane) => this.unappliedBytes(lane),
    };
  }

  waitingBytes(): number {
    return 0;
  }

  unappliedBytes(lane: Lane): number {
    return this.unapplied[lane];
  }

  /** Ids of the events in it, in order. */
  get ids(): string[] {
    const records = [...this.memory.state.lanes.values()].flat().sort((a, b) => a.start - b.start);
    return records.flatMap(({ bytes }) => idsOf({ bytes, count: 1 }));
  }

  /** How often the event was appended. */
  times(id: string): number {
    return this.appends.flat().filter((other) => other === id).length;
  }
}

export function idsOf({ bytes, count }: PackedBatch): string[] {
  const view = new RecordView();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ids: string[] = [];
  for (let at = 0; ids.length < count; ) {
    at = view.move(buffer, at);
    ids.push(view.text('id'));
  }
  return ids;
}

export interface DeadLetterSeen {
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

export class TopicWorld {
  readonly kafka: BaseOptions;
  readonly options: KafkaOptions = { clientId: 'test', brokers };
  readonly settings: EventTopicSettings;
  readonly log = new SharedLog();
  readonly telemetry = new Telemetry();
  readonly lines: { event: LogEvent; fields: LogFields }[] = [];
  readonly admin: Admin;
  readonly producer: Producer;

  private constructor() {
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    this.kafka = clientOptions(this.options);
    this.settings = {
      topic: `${prefix}.events`,
      deadTopic: `${prefix}.events.dead`,
      group: `${prefix}.events`,
      tenant: 'default' as TenantId,
      sources: ['posts'],
    };
    this.admin = new Admin(this.kafka);
    this.producer = new Producer({ ...this.kafka, idempotent: true });
  }

  static async open(t: TestContext, { partitions = 1 } = {}): Promise<TopicWorld> {
    const world = new TopicWorld();
    t.after(() => world.#close());
    await createEventTopics(world.admin, world.settings, { partitions, replicas: 1 });
    return world;
  }

  /** A process that reads the topic. Stopped with the test. */
  start(t: TestContext, events: IntakeLog = this.log): EventTopic {
    const topic = EventTopic.start({
      kafka: this.options,
      settings: this.settings,
      events,
      types: builtInTypes,
      clock: systemClock,
      log: { write: (event, fields = {}) => void this.lines.push({ event, fields }) },
      telemetry: this.telemetry,
    });
    topic.failed.catch((error: unknown) => assert.fail(`the topic's reader failed: ${error}`));
    t.after(() => topic.stop());
    return topic;
  }

  async send(value: unknown, { key, partition = 0, headers = {} }: Sent = {}): Promise<void> {
    const bytes = value === null ? undefined : Buffer.isBuffer(value) ? value : Buffer.from(asText(value));
    await this.producer.send({
      messages: [
        {
          topic: this.settings.topic,
          partition,
          ...(key !== undefined && { key: Buffer.from(key) }),
          ...(bytes !== undefined && { value: bytes }),
          headers: new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
        },
      ],
    });
  }

  /** Through another client library: librdkafka. */
  sendWithKcat(value: string, headers: Readonly<Record<string, string>> = {}, flags: readonly string[] = []): void {
    const args = [
      '-P',
      '-b',
      brokers.join(','),
      '-t',
      this.settings.topic,
      '-p',
      '0',
      '-c',
      '1',
      '-D',
      '\u0001',
      ...flags,
    ];
    for (const [name, text] of Object.entries(headers)) args.push('-H', `${name}=${text}`);
    execFileSync(kcat(), args, { input: value });
  }

  /** What the group has committed, by partition. */
  async committed(partition = 0): Promise<number> {
    const groups = await this.admin.listConsumerGroupOffsets({ groups: [this.settings.group] });
    const topics = groups.flatMap(({ topics }) => topics).filter(({ name }) => name === this.settings.topic);
    const found = topics
      .flatMap(({ partitions }) => partitions)
      .find(({ partitionIndex }) => partitionIndex === partition);
    return Number(found?.committedOffset ?? -1n);
  }

  /** All dead letters so far. */
  async deadLetters(expected: number): Promise<DeadLetterSeen[]> {
    const reader = new Consumer({ ...this.kafka, groupId: `${this.settings.group}.check`, autocommit: false });
    const stream = await reader.consume({
      topics: [this.settings.deadTopic],
      mode: MessagesStreamModes.EARLIEST,
      maxWaitTime: 100,
    });
    const seen: DeadLetterSeen[] = [];
    for await (const { key, value, headerEntries } of stream) {
      const headers = headerEntries.map(([name, text]) => [name.toString(), text?.toString() ?? '']);
      seen.push({ key: key?.toString() ?? null, value: value ?? null, headers: Object.fromEntries(headers) });
      if (seen.length >= expected) break;
    }
    await reader.close(true);
    return seen;
  }

  /** Value of a metric, summed over its series that have all these label values. */
  metric(name: string, ...values: readonly string[]): number {
    return readSnapshot(this.telemetry.snapshot())
      .filter((reading) => reading.name === name)
      .flatMap(({ series }) => series)
      .filter(({ labels }) => values.every((value) => Object.values(labels).includes(value)))
      .reduce((sum, { values: [value = 0] }) => sum + value, 0);
  }

  async #close(): Promise<void> {
    await this.producer.close(true);
    await this.admin.deleteTopics({ topics: [this.settings.topic, this.settings.deadTopic] });
    await this.admin.close();
  }
}

export interface Sent {
  readonly key?: string;
  readonly partition?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

let kcatPath = '';

/** Installs it where it is missing and that is possible. */
function kcat(): string {
  if (kcatPath !== '') return kcatPath;
  const script = new URL('../../../scripts/need-kcat.sh', import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync('bash', [script], { encoding: 'utf8' });
  if (status !== 0) assert.fail(stderr);
  kcatPath = stdout.trim().split('\n').at(-1) as string;
  return kcatPath;
}
