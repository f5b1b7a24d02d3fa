/**
 * A process that reads an events topic and appends over IPC to the log of its parent, which so knows, and decides, what has
 * become durable when it kills this one.
 */
import { systemClock } from '../../../server/src/base/clock.ts';
import { silentLog } from '../../../server/src/base/log.ts';
import { builtInTypes } from '../../../server/src/content/type-catalogue.ts';
import { EventTopic, type EventTopicSettings } from '../../../server/src/intake/event-topic.ts';
import type { AppendStatus } from '../../../server/src/log/event-log.ts';
import type { KafkaOptions } from '../../../server/src/log/kafka/kafka-clients.ts';

export interface AppendRequest {
  readonly number: number;
  readonly bytes: string;
  readonly count: number;
}

export interface AppendAnswer {
  readonly number: number;
  readonly statuses: AppendStatus[];
}

const [kafka, settings] = process.argv.slice(2).map((text) => JSON.parse(text)) as [KafkaOptions, EventTopicSettings];
const waiting = new Map<number, (statuses: AppendStatus[]) => void>();
let requests = 0;
process.on('message', ({ number, statuses }: AppendAnswer) => waiting.get(number)?.(statuses));
EventTopic.start({
  kafka,
  settings,
  types: builtInTypes,
  clock: systemClock,
  log: silentLog,
  events: {
    shards: 1,
    append: ({ bytes, count }) =>
      new Promise((resolve) => {
        const number = ++requests;
        waiting.set(number, resolve);
        process.send?.({ number, bytes: Buffer.from(bytes).toString('base64'), count } satisfies AppendRequest);
      }),
    waitingBytes: () => 0,
    unappliedBytes: () => 0,
  },
});
