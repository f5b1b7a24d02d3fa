/**
 * Events from a Kafka topic (E4): JSON or CloudEvents, by producers in any language, with the same validation and the same
 * guarantees as over HTTP. See docs/EVENTS-TOPIC.md for what producers and operators must know.
 *
 * Promise: a message's offset is committed only once its events are durable in the log or the message is durable in the
 * dead-letter topic. So none is lost, whatever dies; one may be taken again after a crash, which has no effect (E3).
 * Events of one partition reach the log in order. No message ends the process or holds up the others for ever.
 */
import { Producer } from '@platformatic/kafka';
import type { ProducerPrincipal } from '../auth/principal.ts';
import type { Clock } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { type Telemetry, telemetry } from '../base/telemetry.ts';
import { clientOptions, type KafkaOptions } from '../log/kafka/kafka-clients.ts';
import type { AudienceCheck } from './audience-check.ts';
import type { EventOutcomes } from './event-results.ts';
import type { EventTypes } from './event-types.ts';
import { Intake } from './intake.ts';
import type { IntakeLog } from './intake-log.ts';
import { DeadLetterProducer } from './topic/dead-letter-producer.ts';
import { MessageTaker } from './topic/message-taker.ts';
import { TopicLog } from './topic/topic-log.ts';
import { TopicReader } from './topic/topic-reader.ts';
import { TopicTally } from './topic/topic-tally.ts';

export interface EventTopicSettings {
  readonly topic: string;
  readonly deadTopic: string;
  /** Consumer group: processes with the same one share the partitions. */
  readonly group: string;
  /** Whoever may write to the topic writes for this tenant, as one of these sources; `*` is any. */
  readonly tenant: TenantId;
  readonly sources: readonly string[];
}

export interface EventTopicParts {
  readonly kafka: KafkaOptions;
  readonly settings: EventTopicSettings;
  readonly events: IntakeLog;
  readonly types: EventTypes;
  /** Without, no audience exists. */
  readonly audiences?: AudienceCheck;
  readonly clock: Clock;
  readonly log: Log;
  /** As of any other intake: hears what became of the events of each message. */
  readonly onResult?: (outcomes: EventOutcomes) => void;
  /** Where to count; this thread's own unless a test says otherwise. */
  readonly telemetry?: Telemetry;
}

export class EventTopic {
  /** Rejects only for a fault in the program, never for anything that lies in the topic or happens to Kafka. */
  readonly failed: Promise<never>;
  readonly #reader: TopicReader;
  readonly #deadLetters: Producer<Buffer, Buffer, Buffer, Buffer | null>;

  private constructor(parts: EventTopicParts) {
    const { settings, types, clock, log } = parts;
    const kafka = clientOptions(parts.kafka);
    const tally = new TopicTally(log, parts.telemetry ?? telemetry);
    this.#deadLetters = new Producer({ ...kafka, idempotent: true });
    const taker = new MessageTaker({
      intake: new Intake({
        log: new TopicLog(parts.events),
        types,
        clock,
        ...(parts.audiences && { audiences: parts.audiences }),
        ...(parts.onResult && { onResult: parts.onResult }),
      }),
      producer: producerOf(settings),
      deadLetters: new DeadLetterProducer({
        client: this.#deadLetters,
        topic: settings.deadTopic,
        clock,
        onFailure: (error) => tally.waited('deadLettersFailed', error),
      }),
      clock,
      tally,
    });
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    this.failed.catch(() => {});
    this.#reader = new TopicReader({
      kafka,
      topic: settings.topic,
      group: settings.group,
      take: (messages, signal) => taker.take(messages, signal),
      clock,
      log,
      tally,
      onFault: reject,
    });
  }

  /** Begins to read, now or as soon as Kafka can be reached. */
  static start(parts: EventTopicParts): EventTopic {
    return new EventTopic(parts);
  }

  /** Finishes what is at hand, commits, leaves the group. What is not taken stays in the topic for others. */
  async stop(): Promise<void> {
    await this.#reader.stop();
    await this.#deadLetters.close(true).catch(() => {});
  }
}

function producerOf({ topic, tenant, sources }: EventTopicSettings): ProducerPrincipal {
  return { kind: 'producer', tenant, caller: `topic ${topic}`, sources, expiresAtMs: Number.POSITIVE_INFINITY };
}
