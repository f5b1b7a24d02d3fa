/** The cluster engine on real services: connects, checks that all is as this release needs it, and puts it together. */

import { AnnouncementStorePostgres } from '../announce/announcement-store-postgres.ts';
import { AudienceStorePostgres } from '../audience/audience-store-postgres.ts';
import { BroadcastStorePostgres } from '../audience/broadcast-store-postgres.ts';
import { FanoutStorePostgres } from '../audience/fanout-store-postgres.ts';
import { RevocationStoreCassandra } from '../auth/revocation-store-cassandra.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import type { Database } from '../base/database.ts';
import { derivedConfig } from '../base/derived-config.ts';
import { dayMs } from '../base/iso-time.ts';
import { limits } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { type EncryptionKeys, SecretBox } from '../base/secret-box.ts';
import type { LiveContent } from '../content/live-content.ts';
import { capRulesOf } from '../decide/cap-rules.ts';
import { BusRedis } from '../deliver/realtime/bus-redis.ts';
import { PresenceRedis } from '../deliver/realtime/presence-redis.ts';
import { RevocationStoreBus } from '../deliver/realtime/revocation-store-bus.ts';
import { StreamTicketsRedis } from '../deliver/realtime/stream-tickets-redis.ts';
import { announcementSettings } from '../embedded/announcement-settings.ts';
import { type Problem, ShardReports } from '../embedded/shard-reports.ts';
import { InboxStoreCassandra } from '../inbox/inbox-store-cassandra.ts';
import type { AudienceCheck } from '../intake/audience-check.ts';
import type { EventOutcomes } from '../intake/event-results.ts';
import { IdempotencyStoreCassandra } from '../intake/idempotency-store-cassandra.ts';
import type { IntakeLog } from '../intake/intake-log.ts';
import { usualRate } from '../intake/rate-limit.ts';
import { RateShareRedis } from '../intake/rate-share-redis.ts';
import { EventLogKafka } from '../log/event-log-kafka.ts';
import { checkKeys } from '../profile/check-keys.ts';
import { DeviceStorePostgres } from '../profile/device-store-postgres.ts';
import { KeyRegisterPostgres } from '../profile/key-register-postgres.ts';
import { ProfileStorePostgres } from '../profile/profile-store-postgres.ts';
import { Resealing } from '../profile/resealing.ts';
import { SuppressionStorePostgres } from '../profile/suppression-store-postgres.ts';
import { usualMemory } from '../shard/shard-memory.ts';
import { ShardOwnershipKafka } from '../shard/shard-ownership-kafka.ts';
import { TimerStoreCassandra } from '../shard/timer-store-cassandra.ts';
import { bulkLag } from './bulk-lag.ts';
import { checkPrepared } from './check-services.ts';
import { ClusterEngine, type ClusterParts } from './cluster-engine.ts';
import { openEventTopics } from './event-topics.ts';
import { kafkaLag } from './kafka-lag.ts';
import { openDeliveries } from './open-deliveries.ts';
import { connectServices, type ServiceClients } from './service-clients.ts';
import type { AudienceStores } from './shared-audiences.ts';

export interface StartClusterParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly cursorSecret: Uint8Array;
  readonly emailSecret: string;
  readonly encryption: EncryptionKeys;
  readonly content: LiveContent;
  readonly onProblem: (problem: Problem) => void;
  /** What became of events that came by topics. */
  readonly onEvents: (outcomes: EventOutcomes) => void;
}

/** Rejects, in words for an operator, when a service is not there or not prepared. */
export async function startCluster(parts: StartClusterParts): Promise<ClusterEngine> {
  const { config, clock, random } = parts;
  // New with each start: what an earlier process of the same place left behind is not taken for ours.
  const name = `${config.kafka.topicPrefix}-${random.hex(6)}`;
  const clients = await connectServices({ config, clock, name, keyspace: config.cassandra.keyspace });
  try {
    await checkPrepared(config, clients);
    const box = new SecretBox(parts.encryption);
    await checkKeys(box, new KeyRegisterPostgres(clients.database));
    const own = clusterParts(parts, clients, { name, box });
    const deliveries = await openDeliveries(parts, clients, own);
    return await ClusterEngine.start({ ...own, deliveries });
  } catch (error) {
    await clients.close().catch(() => {});
    throw error;
  }
}

function clusterParts(
  parts: StartClusterParts,
  clients: ServiceClients,
  { name, box }: { name: string; box: SecretBox },
): ClusterParts {
  const { config, clock, random, cursorSecret, onProblem } = parts;
  const { kafka, cassandra, publisher, subscriber, database } = clients;
  const { roles } = config;
  const { topicPrefix, lostPosition } = config.kafka;
  const { keyPrefix: prefix } = config.redis;
  const { shards } = derivedConfig(config);
  const retentionMs = config.inbox.retentionDays * dayMs;
  const presentMs = config.stream.presentSeconds * 1000;
  const groupId = `${topicPrefix}.shards`;
  const bus = new BusRedis({ publisher, subscriber, prefix, clock });
  const revocations = new RevocationStoreBus({ store: new RevocationStoreCassandra(cassandra, clock), bus, clock });
  const reports = new ShardReports(onProblem);
  const store = new InboxStoreCassandra({ client: cassandra, clock, retentionMs });
  const log = new EventLogKafka({
    clients: kafka,
    topicPrefix,
    shards,
    clock,
    lostPosition,
    onUnreadable: (message) => reports.unusable({ ...message, offset: 0, reason: 'unreadable' }),
    onMoved: ({ shard, lane, from, to }) => onProblem({ event: 'logMoved', fields: { shard, lane, count: to - from } }),
  });
  return {
    roles,
    shards,
    log,
    group: new ShardOwnershipKafka({ clients: kafka, topicPrefix, shards, groupId, clock }),
    bulkBehind: () => bulkLag({ admin: kafka.admin, topicPrefix, store, shards }),
    behind: () => kafkaLag({ admin: kafka.admin, topicPrefix, groupId, shards }),
    store,
    ...knownOfPeople(parts, database, box),
    timers: new TimerStoreCassandra(cassandra),
    audiences: audienceStores(database, config),
    capRules: capRulesOf(config.caps),
    announce: announcementSettings(config),
    random,
    presence: new PresenceRedis(publisher, prefix),
    looking: { presence: new PresenceRedis(publisher, `${prefix}looking:`, presentMs), keptMs: presentMs },
    bus,
    gateway: name,
    idempotency: new IdempotencyStoreCassandra(cassandra, clock),
    revocations,
    tickets: new StreamTicketsRedis({ redis: publisher, prefix, clock, random, ticketKeptMs: limits.ticketKeptMs }),
    openTopics: (events: IntakeLog, audiences: AudienceCheck) =>
      openEventTopics({ ...parts, types: parts.content, name, events, audiences }),
    rateShare: new RateShareRedis(publisher, prefix, usualRate),
    clock,
    cursorSecret,
    content: parts.content,
    memory: { ...usualMemory, exactPeopleMax: config.inbox.exactPeopleMax },
    upkeep: {
      logKeptMs: config.log.keptDays * dayMs,
      rowsPerPersonMax: config.inbox.rowsPerPersonMax,
      retentionMs,
      deviceIdleDays: config.devices.idleDays,
    },
    onProblem,
    disconnect: () => {
      revocations.close();
      return clients.close();
    },
  };
}

function knownOfPeople({ config, clock }: StartClusterParts, db: ServiceClients['database'], box: SecretBox) {
  const profiles = new ProfileStorePostgres(db, { clock, box });
  const devices = new DeviceStorePostgres({ db, profiles, clock, box });
  const { softBouncesMax } = config.email;
  const suppressions = new SuppressionStorePostgres({ db, clock, box, softBouncesMax });
  const rotation = new Resealing([profiles, devices, suppressions], new KeyRegisterPostgres(db), box.current);
  return { profiles, devices, suppressions, rotation };
}

function audienceStores(database: Database, config: Config): AudienceStores {
  return {
    audiences: new AudienceStorePostgres(database),
    fanouts: new FanoutStorePostgres(database),
    broadcasts: new BroadcastStorePostgres(database),
    announcements: new AnnouncementStorePostgres(database),
    settings: config.audiences,
  };
}
