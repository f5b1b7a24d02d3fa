/** The Kafka topics that events come from, as configured (E4, docs/EVENTS-TOPIC.md). */
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import { defaultTenant, type TenantId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { AudienceCheck } from '../intake/audience-check.ts';
import type { EventOutcomes } from '../intake/event-results.ts';
import { EventTopic, type EventTopicSettings } from '../intake/event-topic.ts';
import type { EventTypes } from '../intake/event-types.ts';
import type { IntakeLog } from '../intake/intake-log.ts';
import { kafkaOptions } from './service-clients.ts';

export interface EventTopicsParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** As the brokers show it. */
  readonly name: string;
  readonly events: IntakeLog;
  readonly types: EventTypes;
  readonly audiences: AudienceCheck;
  readonly onEvents: (outcomes: EventOutcomes) => void;
}

export function openEventTopics(parts: EventTopicsParts): EventTopic[] {
  const { config, clock, log, name, events, types, audiences, onEvents } = parts;
  const kafka = kafkaOptions(config, name);
  return eventTopics(config).map((settings) =>
    EventTopic.start({ kafka, settings, events, types, audiences, clock, log, onResult: onEvents }),
  );
}

export function eventTopics({ kafka: { eventTopics: topics, topicPrefix } }: Config): EventTopicSettings[] {
  return topics.map(({ topic, sources, tenant }) => ({
    topic,
    deadTopic: `${topic}.dead`,
    group: `${topicPrefix}.intake.${topic}`,
    tenant: (tenant ?? defaultTenant) as TenantId,
    sources,
  }));
}
