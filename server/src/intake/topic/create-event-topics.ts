/** Makes the events topic and its dead-letter topic, each unless it is there. For `carillon migrate` and tests. */
import { type Admin, findErrorBy } from '@platformatic/kafka';
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
      await admin.createTopics({ topics: [name], partitions, replicas });
      made.push(name);
    } catch (error) {
      if (!(error instanceof Error) || findErrorBy(error, 'apiId', 'TOPIC_ALREADY_EXISTS') === null) throw error;
    }
  }
  return made;
}
