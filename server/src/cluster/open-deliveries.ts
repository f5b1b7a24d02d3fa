/** Deliveries on the services of a cluster: logs in Kafka, rows and retries in Cassandra; what the roles need of it. */
import { resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import { derivedConfig } from '../base/derived-config.ts';
import { dayMs } from '../base/iso-time.ts';
import { limits } from '../base/limits.ts';
import type { Random } from '../base/random.ts';
import type { LiveContent } from '../content/live-content.ts';
import { DeadLetterStorePostgres } from '../deliver/dead-letter-store-postgres.ts';
import type { OutwardName } from '../deliver/delivery.ts';
import { DeliveryStoreCassandra } from '../deliver/delivery-store-cassandra.ts';
import { LookingPeoplePresence } from '../deliver/realtime/looking-people-presence.ts';
import { type Problem, ShardReports } from '../embedded/shard-reports.ts';
import { type KnownWay, knownWays, waysOut } from '../embedded/ways-out.ts';
import { InboxCounts } from '../inbox/inbox-counts.ts';
import { EventLogKafka } from '../log/event-log-kafka.ts';
import { ShardOwnershipKafka } from '../shard/shard-ownership-kafka.ts';
import { channelPrefix } from './channel-logs.ts';
import type { ClusterParts } from './cluster-engine.ts';
import type { ServiceClients } from './service-clients.ts';
import { SharedDeliveries, type SharedWay } from './shared-deliveries.ts';

export interface OpenDeliveriesParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly emailSecret: string;
  readonly content: LiveContent;
  readonly onProblem: (problem: Problem) => void;
}

type KnownParts = Pick<ClusterParts, 'store' | 'profiles' | 'devices' | 'suppressions' | 'timers' | 'looking'>;

export async function openDeliveries(
  parts: OpenDeliveriesParts,
  clients: ServiceClients,
  { store, profiles, devices, suppressions, timers, looking }: KnownParts,
): Promise<SharedDeliveries> {
  const { config, clock, random, content, onProblem, emailSecret } = parts;
  const { topicPrefix } = config.kafka;
  const { shards } = derivedConfig(config);
  const isWorker = config.roles.includes('deliver');
  const counts = new InboxCounts(store, clock);
  const pushKeyFolder = config.mode === 'development' ? resolve(config.dataDir) : null;
  const settings = { push: config.push, pushKeyFolder, email: config.email, emailSecret };
  const known = knownWays(settings);
  const sources = { devices, suppressions, content, clock, random };
  // One group for all channels: a shard's deliveries are worked at in one place.
  const group = { topicPrefix: channelPrefix(topicPrefix, 'push'), groupId: `${topicPrefix}.deliver` };
  return new SharedDeliveries({
    ways: isWorker
      ? (await waysOut(settings, sources)).map((way) => ({
          ...way,
          log: logOf(parts, clients, way.name),
        }))
      : known.map((way) => withoutOutlet(way, parts, clients)),
    shards,
    group:
      isWorker && known.length > 0
        ? new ShardOwnershipKafka({ clients: clients.kafka, shards, clock, ...group })
        : null,
    store: new DeliveryStoreCassandra(clients.cassandra, clock),
    timers,
    deadLetters: new DeadLetterStorePostgres(clients.database),
    profiles,
    inbox: store,
    looking: new LookingPeoplePresence(looking.presence, clock),
    unreadOf: async (person) => (await counts.of(person, await store.head(person, limits.changesMax))).unread,
    content,
    logKeptMs: config.log.keptDays * dayMs,
    clock,
    random,
    onProblem,
  });
}

function withoutOutlet(way: KnownWay, parts: OpenDeliveriesParts, clients: ServiceClients): SharedWay {
  return { ...way, outlet: null, log: logOf(parts, clients, way.name), close: async () => {} };
}

function logOf({ config, clock, onProblem }: OpenDeliveriesParts, { kafka }: ServiceClients, name: OutwardName) {
  const reports = new ShardReports(onProblem);
  const { topicPrefix, lostPosition } = config.kafka;
  return new EventLogKafka({
    clients: kafka,
    topicPrefix: channelPrefix(topicPrefix, name),
    shards: derivedConfig(config).shards,
    clock,
    lostPosition,
    onUnreadable: (message) => reports.unusable({ ...message, offset: 0, reason: 'unreadable' }),
    onMoved: ({ shard, lane, from, to }) => onProblem({ event: 'logMoved', fields: { shard, lane, count: to - from } }),
  });
}
