/** `carillon move`: the data of an embedded engine into the cluster that the configuration names (G3). */
import { AnnouncementStorePostgres } from '../announce/announcement-store-postgres.ts';
import { AudienceStorePostgres } from '../audience/audience-store-postgres.ts';
import { BroadcastStorePostgres } from '../audience/broadcast-store-postgres.ts';
import { FanoutStorePostgres } from '../audience/fanout-store-postgres.ts';
import { RevocationStoreCassandra } from '../auth/revocation-store-cassandra.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import { derivedConfig } from '../base/derived-config.ts';
import { encryptionKeys } from '../base/encryption-keys.ts';
import { dayMs } from '../base/iso-time.ts';
import type { Random } from '../base/random.ts';
import { SecretBox } from '../base/secret-box.ts';
import { InboxStoreCassandra } from '../inbox/inbox-store-cassandra.ts';
import { IdempotencyStoreCassandra } from '../intake/idempotency-store-cassandra.ts';
import { EventLogKafka } from '../log/event-log-kafka.ts';
import { DeviceStorePostgres } from '../profile/device-store-postgres.ts';
import { ProfileStorePostgres } from '../profile/profile-store-postgres.ts';
import { SuppressionStorePostgres } from '../profile/suppression-store-postgres.ts';
import { TimerStoreCassandra } from '../shard/timer-store-cassandra.ts';
import { checkPrepared } from './check-services.ts';
import { openEmbeddedSource } from './embedded-source.ts';
import { type MoveParts, type MoveReport, moveEmbeddedToCluster } from './move.ts';
import { CassandraMoveState } from './move-state.ts';
import { connectServices } from './service-clients.ts';

export interface RunMoveParts extends Pick<MoveParts, 'clock' | 'onProgress'> {
  /** Of the cluster; `dataDir` is the source. */
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
}

/** Rejects, in words for an operator, when it may not or cannot be done. */
export async function runMove({ config, clock, random, onProgress }: RunMoveParts): Promise<MoveReport> {
  const box = new SecretBox(await encryptionKeys(config));
  const { segmentBytes } = config.log;
  const source = await openEmbeddedSource(config.dataDir, { random, box, segmentBytes });
  try {
    const { keyspace } = config.cassandra;
    const clients = await connectServices({ config, clock, name: 'carillon-move', keyspace });
    try {
      await checkPrepared(config, clients);
      const { kafka, cassandra, database } = clients;
      const { shards } = derivedConfig(config);
      const { topicPrefix, lostPosition } = config.kafka;
      const ignore = (): void => {};
      const reader = { lostPosition, onUnreadable: ignore, onMoved: ignore };
      const log = new EventLogKafka({ clients: kafka, topicPrefix, shards, clock, ...reader });
      const retentionMs = config.inbox.retentionDays * dayMs;
      const profiles = new ProfileStorePostgres(database, { clock, box });
      const target = {
        log,
        shards,
        inbox: new InboxStoreCassandra({ client: cassandra, clock, retentionMs }),
        idempotency: new IdempotencyStoreCassandra(cassandra, clock),
        revocations: new RevocationStoreCassandra(cassandra, clock),
        profiles,
        devices: new DeviceStorePostgres({ db: database, profiles, clock, box }),
        suppressions: new SuppressionStorePostgres({
          db: database,
          clock,
          box,
          softBouncesMax: config.email.softBouncesMax,
        }),
        timers: new TimerStoreCassandra(cassandra),
        audiences: new AudienceStorePostgres(database),
        fanouts: new FanoutStorePostgres(database),
        broadcasts: new BroadcastStorePostgres(database),
        announcements: new AnnouncementStorePostgres(database),
        state: new CassandraMoveState(cassandra),
      };
      const report = await moveEmbeddedToCluster({ source, target, clock, onProgress });
      await target.profiles.close();
      await log.close();
      return report;
    } finally {
      await clients.close();
    }
  } finally {
    await source.close();
  }
}

/** For people, line by line. */
export function describeMove(report: MoveReport): string[] {
  const { people, rows, members, itemMarks, checksum, differing } = report;
  const { waiting, timers, profiles, devices, suppressions, audiences, revocations, answers } = report;
  const { members: subscribed, fanouts } = audiences;
  return [
    `inboxes: ${people} people, ${rows} rows, ${members} members, ${itemMarks} marks of single rows; checksum ${checksum}`,
    `events that wait to be applied: ${waiting.found} of ${waiting.expected}`,
    `timers: ${timers.found} of ${timers.expected}`,
    `profiles: ${profiles.found} of ${profiles.expected}; devices: ${devices.found} of ${devices.expected}; suppressed addresses: ${suppressions.found} of ${suppressions.expected}`,
    `members of audiences: ${subscribed.found} of ${subscribed.expected}; fan-outs under way: ${fanouts.found} of ${fanouts.expected}`,
    `revoked sessions: ${revocations}; answers kept for repeated requests: ${answers}`,
    differing.length === 0 ? 'source and target are equal' : `DIFFERENT: ${differing.length} people`,
  ];
}

export function isWhole({
  differing,
  waiting,
  timers,
  profiles,
  devices,
  suppressions,
  audiences,
}: MoveReport): boolean {
  const compared = [waiting, timers, profiles, devices, suppressions, audiences.members, audiences.fanouts];
  return differing.length === 0 && compared.every(({ found, expected }) => found === expected);
}
