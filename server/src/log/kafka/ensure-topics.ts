/**
 * The log's topics as they must be: one per lane, all with as many partitions as there are shards, kept as long as the
 * log is. Idempotent, and safe when several processes run it at once. What cannot be changed without moving people
 * between shards, the number of partitions, is refused with what to do.
 */
import {
  type Admin,
  ConfigResourceTypes,
  findErrorBy,
  IncrementalAlterConfigOperationTypes,
} from '@platformatic/kafka';
import { CarillonError } from '../../base/carillon-error.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { LaneTopics } from './lane-topics.ts';

export interface TopicSettings {
  readonly topicPrefix: string;
  readonly shards: number;
  /** Copies of every record, each on another broker. With 3 or more, two must have it before it is acknowledged. */
  readonly replicationFactor: number;
  /** How long brokers keep records, from intake; must be longer than any outage of the shards. -1: for ever. */
  readonly keptMs: number;
}

export interface TopicReport {
  readonly topic: string;
  readonly did: 'created' | 'changed' | 'nothing';
}

/** Creates what is missing and sets what differs; resolves once every partition has a leader. Answers what it did, per topic. */
export async function ensureTopics(
  admin: Admin,
  settings: TopicSettings,
  clock: Clock = systemClock,
): Promise<TopicReport[]> {
  const { shards, replicationFactor } = settings;
  const { names } = new LaneTopics(settings.topicPrefix);
  const wanted = configsOf(settings);
  const present = new Set(await admin.listTopics());
  const reports: TopicReport[] = [];
  for (const topic of names) {
    if (present.has(topic)) {
      reports.push({ topic, did: (await changeConfigs(admin, topic, wanted)) ? 'changed' : 'nothing' });
      continue;
    }
    const configs = [...wanted].map(([name, value]) => ({ name, value }));
    const isOurs = await admin
      .createTopics({ topics: [topic], partitions: shards, replicas: replicationFactor, configs })
      .then(() => true, refuseUnlessPresent);
    reports.push({ topic, did: isOurs ? 'created' : 'nothing' });
  }
  // A topic just created is not known to every broker at once.
  const endMs = clock.monotonic() + limits.kafkaTopicsReadyMs;
  while (!(await areReady(admin, settings)) && clock.monotonic() < endMs) {
    await new Promise<void>((resolve) => clock.after(limits.kafkaRetryMs, resolve));
  }
  await checkTopics(admin, settings);
  return reports;
}

async function areReady(admin: Admin, { topicPrefix, shards }: TopicSettings): Promise<boolean> {
  const { names } = new LaneTopics(topicPrefix);
  const present = new Set(await admin.listTopics());
  if (!names.every((topic) => present.has(topic))) return false;
  const { topics } = await admin.metadata({ topics: [...names], forceUpdate: true });
  const leaders = names.flatMap((topic) => topics.get(topic)?.partitions ?? []).filter(({ leader }) => leader >= 0);
  return leaders.length >= names.length * shards;
}

/** Rejects, in words for an operator, when a topic is missing or has another number of partitions than there are shards. */
export async function checkTopics(
  admin: Admin,
  { topicPrefix, shards }: Pick<TopicSettings, 'topicPrefix' | 'shards'>,
): Promise<void> {
  const { names } = new LaneTopics(topicPrefix);
  const present = new Set(await admin.listTopics());
  const missing = names.filter((topic) => !present.has(topic));
  if (missing.length > 0) throw refused(`Kafka has no topic ${missing.join(', ')}: run \`carillon migrate\``);
  const { topics } = await admin.metadata({ topics: [...names], forceUpdate: true });
  for (const topic of names) {
    const partitions = topics.get(topic)?.partitionsCount ?? 0;
    if (partitions === shards) continue;
    const ways = `set \`shards: ${partitions}\`, or begin anew under another topic prefix`;
    throw refused(`The topic ${topic} has ${partitions} partitions and ${shards} shards are configured: ${ways}`);
  }
}

function configsOf({ replicationFactor, keptMs }: TopicSettings): Map<string, string> {
  return new Map([
    ['cleanup.policy', 'delete'],
    ['compression.type', 'producer'],
    ['message.timestamp.type', 'CreateTime'],
    ['min.insync.replicas', replicationFactor >= 3 ? '2' : '1'],
    ['retention.ms', String(keptMs)],
    ['unclean.leader.election.enable', 'false'],
  ]);
}

/** Sets those that differ. Whether any did. */
async function changeConfigs(admin: Admin, topic: string, wanted: ReadonlyMap<string, string>): Promise<boolean> {
  const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic };
  const [found] = await admin.describeConfigs({ resources: [{ ...resource, configurationKeys: [...wanted.keys()] }] });
  const present = new Map(found?.configs.map(({ name, value }) => [name, value]));
  const configs = [...wanted]
    .filter(([name, value]) => present.get(name) !== value)
    .map(([name, value]) => ({ name, value, configOperation: IncrementalAlterConfigOperationTypes.SET }));
  if (configs.length > 0) await admin.incrementalAlterConfigs({ resources: [{ ...resource, configs }] });
  return configs.length > 0;
}

/** Somebody else created it at the same moment. */
function refuseUnlessPresent(error: Error): false {
  if (findErrorBy(error, 'apiId', 'TOPIC_ALREADY_EXISTS') === null) throw error;
  return false;
}

function refused(why: string): CarillonError {
  return new CarillonError('CARILLON_INTERNAL', `${why}.`);
}
