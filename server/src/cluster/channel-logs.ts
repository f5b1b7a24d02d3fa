/** Where the logs of a cluster lie in Kafka: that of events, and one for each channel that leaves the service. */
import { type OutwardName, outwardChannels } from '../deliver/delivery.ts';

/** What its topics begin with, and its group. */
export function channelPrefix(topicPrefix: string, channel: OutwardName): string {
  return `${topicPrefix}.${channel}`;
}

/** All logs there are, whatever is configured: a channel that is added later finds its topics. */
export function logPrefixes(topicPrefix: string): readonly string[] {
  return [topicPrefix, ...outwardChannels.map((channel) => channelPrefix(topicPrefix, channel))];
}
