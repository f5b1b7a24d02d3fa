/** Makes the events topic and its dead-letter topic, each unless it is there. For `carillon migrate` and tests. */
import { type Admin, findErrorBy } from '@platformatic/kafka';
import { limits } from '../../base/limits.ts';
import type { EventTopicSettings } from '../event-topic.ts';

export interface TopicShape {
  readonly partitions: number;
  readonly replicas: number;
}

/** Answers the names of those that were made. */
export async function createEventTopics(
  admin: Pick<Admin, 'createTopics'>,
  { topic, deadTopic }: Pick<EventTopicSettings, 'topic' | 'deadTopic'>,
  { partitions, replicas }: TopicShape,
): Promise<string[]> {
  const made: string[] = [];
  for (const name of [topic, deadTopic]) {
    try {
      const configs = Object.entries({
        // As for the log: what is acknowledged outlives any one broker.
        'min.insync.replicas': replicas >= 3 ? '2' : '1',
        'unclean.leader.election.enable': 'false',
        ...(name === deadTopic && { 'retention.ms': String(limits.deadLettersKeptMs) }),
      }).map(([key, value]) => ({ name: key, value }));
      await admin.createTopics({ topics: [name], partitions, replicas, configs });
      made.push(name);
    } catch (error) {
      if (!(error instanceof Error) || findErrorBy(error, 'apiId', 'TOPIC_ALREADY_EXISTS') === null) throw error;
    }
  }
  return made;
}
