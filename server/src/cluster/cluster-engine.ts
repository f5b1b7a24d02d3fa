/**
 * One process of a cluster: the parts its roles need, over ports that are connected already (`start-cluster.ts` connects
 * the real ones, tests put in memory). Which process does what, and who may write what, is in docs/ARCHITECTURE.md.
 */
import type { AnnouncementService } from '../announce/announcement-service.ts';
import type { AudienceService } from '../audience/audience-service.ts';
import type { RevocationStore } from '../auth/revocation-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Role } from '../base/config-schema.ts';
import type { PersonKey } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { Service } from '../base/service.ts';
import type { Snapshot } from '../base/telemetry.ts';
import { builtInContent, type LiveContent } from '../content/live-content.ts';
import { type CapRules, usualCaps } from '../decide/caps.ts';
import type { EventSimulator } from '../decide/event-simulator.ts';
import type { DeadLetterService } from '../deliver/dead-letters.ts';
import type { DeliveryHistory } from '../deliver/delivery-store.ts';
import type { Bus } from '../deliver/realtime/bus.ts';
import { LiveFeedBus } from '../deliver/realtime/live-feed-bus.ts';
import { LivePublisher } from '../deliver/realtime/live-publisher.ts';
import { LookingNotesPresence, LookingPeoplePresence } from '../deliver/realtime/looking-people-presence.ts';
import type { GatewayId, Presence } from '../deliver/realtime/presence.ts';
import type { StreamTickets } from '../deliver/realtime/stream-tickets.ts';
import type { AnnouncementSettings } from '../embedded/announcement-settings.ts';
import { AnnouncementWork } from '../embedded/announcement-work.ts';
import type { AudienceWork } from '../embedded/audience-work.ts';
import { type Problem, ShardReports } from '../embedded/shard-reports.ts';
import type { Engine } from '../engine.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { openingInbox } from '../inbox/opening-inbox.ts';
import type { AudienceCheck } from '../intake/audience-check.ts';
import type { IdempotencyStore } from '../intake/idempotency-store.ts';
import type { IntakeLog } from '../intake/intake-log.ts';
import { RateLimit } from '../intake/rate-limit.ts';
import type { RateShare } from '../intake/rate-share.ts';
import { shareRate } from '../intake/share-rate.ts';
import type { EventLog } from '../log/event-log.ts';
import type { ReadinessCheck } from '../ops/readiness.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { PersonLocales } from '../profile/person-locales.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { Rotation } from '../profile/resealing.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { type Followers, followersOf, StoredRelations } from '../shard/relation-reader.ts';
import type { ShardMemory } from '../shard/shard-memory.ts';
import type { ShardOwnership } from '../shard/shard-ownership.ts';
import { Simulator } from '../shard/simulator.ts';
import type { TimerStore } from '../shard/timer-store.ts';
import { eraseByOwner } from './erase-by-owner.ts';
import { fencedStore } from './fenced-store.ts';
import { fencedTimers } from './fenced-timers.ts';
import { OwnedShards } from './owned-shards.ts';
import { ShardUpkeep, type UpkeepOptions } from './shard-upkeep.ts';
import { type AudienceStores, sharedService, sharedWork } from './shared-audiences.ts';
import { SharedBroadcasts } from './shared-broadcasts.ts';
import type { SharedDeliveries } from './shared-deliveries.ts';
import { SharedInbox } from './shared-inbox.ts';
import { SharedLog } from './shared-log.ts';

/** A way in for events beside HTTP. */
export interface TopicIntake extends Service {
  /** Rejects when the process must stop. */
  readonly failed: Promise<never>;
}

export interface ClusterParts {
  readonly roles: readonly Role[];
  readonly shards: number;
  /** Null where the roles need none. */
  readonly log: EventLog | null;
  readonly group: ShardOwnership | null;
  /** Records that are durable and not yet applied, by lane. */
  readonly behind: () => Promise<readonly number[]>;
  /** The same of the bulk lane alone, without delay. */
  readonly bulkBehind: () => Promise<number>;
  readonly store: InboxStore;
  readonly profiles: ProfileStore;
  readonly devices: DeviceStore;
  readonly suppressions: SuppressionStore;
  readonly rotation: Rotation;
  readonly timers: TimerStore;
  readonly audiences: AudienceStores;
  readonly announce: AnnouncementSettings;
  readonly random: Random;
  /** The usual unless given. */
  readonly capRules?: CapRules;
  readonly presence: Presence;
  /** A presence of whoever is looking at the app, whose entries last `keptMs`. */
  readonly looking: { readonly presence: Presence; readonly keptMs: number };
  readonly bus: Bus;
  /** New with each start. */
  readonly gateway: GatewayId;
  readonly idempotency: IdempotencyStore;
  readonly revocations: RevocationStore;
  readonly tickets: StreamTickets;
  readonly rateShare: RateShare;
  /** Begins to take events from where else they come, for role `intake`. */
  readonly openTopics: (events: IntakeLog, audiences: AudienceCheck) => readonly TopicIntake[];
  readonly clock: Clock;
  readonly cursorSecret: Uint8Array;
  readonly memory: ShardMemory;
  /** The built-in types and words unless given. */
  readonly content?: LiveContent;
  readonly upkeep: UpkeepOptions;
  /** Absent: nothing is sent outside. */
  readonly deliveries?: SharedDeliveries;
  readonly onProblem: (problem: Problem) => void;
  /** Closes what the ports stand on. */
  readonly disconnect: () => Promise<void>;
}

export class ClusterEngine implements Engine {
  readonly log: SharedLog | null = null;
  readonly inbox: SharedInbox | null = null;
  readonly audiences: AudienceService | null;
  readonly announcements: AnnouncementService | null;
  readonly feed: LiveFeedBus | null = null;
  readonly looking: LookingNotesPresence | null = null;
  readonly profiles: ProfileStore | null;
  readonly devices: DeviceStore | null;
  readonly suppressions: SuppressionStore | null;
  readonly rotation: Rotation | null;
  readonly simulator: EventSimulator | null;
  readonly idempotency: IdempotencyStore;
  readonly revocations: RevocationStore;
  readonly tickets: StreamTickets;
  readonly rate: RateLimit;
  readonly checks: readonly ReadinessCheck[];
  readonly failed: Promise<never>;
  readonly #parts: ClusterParts;
  readonly #publisher: LivePublisher;
  readonly #locales: PersonLocales;
  readonly #shards: OwnedShards | null = null;
  readonly #upkeep: ShardUpkeep | null = null;
  readonly #audienceWork: AudienceWork | null = null;
  readonly #announcing: AnnouncementWork;
  readonly #broadcasts: SharedBroadcasts | null = null;
  readonly #stopSharing: () => void = () => {};
  readonly #topics: readonly TopicIntake[];

  private constructor(parts: ClusterParts) {
    this.#parts = parts;
    const { roles, shards, log, group, store, presence, bus, gateway, clock, cursorSecret, onProblem } = parts;
    this.profiles = roles.includes('api') ? parts.profiles : null;
    this.devices = roles.includes('api') ? parts.devices : null;
    this.suppressions = roles.includes('api') ? parts.suppressions : null;
    this.rotation = roles.includes('api') ? parts.rotation : null;
    this.simulator = roles.includes('api') ? simulatorOf(parts) : null;
    const audiences = sharedService({ ...parts, ...parts.audiences });
    this.audiences = roles.includes('api') || roles.includes('intake') ? audiences : null;
    const { content = builtInContent } = parts;
    this.#announcing = new AnnouncementWork({ ...parts, ...parts.audiences, inboxes: store, types: content });
    this.announcements = roles.includes('api') ? this.#announcing.service : null;
    this.#locales = new PersonLocales(parts.profiles, clock);
    this.idempotency = parts.idempotency;
    this.revocations = parts.revocations;
    this.tickets = parts.tickets;
    this.rate = new RateLimit(clock);
    this.#publisher = new LivePublisher({ presence, bus, shards, clock });
    const publisher = this.#publisher;
    const { describe, explain } = content;
    const localeOf = this.#locales.of;
    const inbox = new InboxServiceStore({ store, clock, cursorSecret, describe, explain, localeOf });
    const reports = new ShardReports(onProblem);
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    promise.catch(() => {});

    if (roles.includes('intake') && log !== null) {
      this.#stopSharing = shareRate(this.rate, parts.rateShare, clock);
      this.log = new SharedLog({ log, shards, behind: parts.behind, clock, reports });
    }
    if (roles.includes('shard') && log !== null && group !== null) {
      const fenced = fencedStore(store, group, shards);
      const onApplied = group.applied.bind(group);
      const { memory, profiles, capRules = usualCaps } = parts;
      const followers = keptFollowers(parts);
      const announced = this.#announcing.members;
      const work = sharedWork({ ...parts, ...parts.audiences, announced, types: content }, log);
      this.#announcing.run({ log, shards, onProblem });
      this.#audienceWork = work;
      const told = { bus, publisher, reports, onProblem };
      const looking = new LookingPeoplePresence(parts.looking.presence, clock);
      const outward = {
        timers: fencedTimers(parts.timers, group),
        channels: parts.deliveries?.channels ?? [],
        looking,
      };
      const known = { profiles, followers, audiences: work, outward, capRules, content };
      const common = { ...told, ...known, log, store: fenced, clock, memory };
      this.#shards = new OwnedShards({ ...common, shards, onApplied, onFailed: reject });
      this.#upkeep = new ShardUpkeep({
        shards: this.#shards,
        log,
        store: fenced,
        clock,
        audiences: work,
        devices: parts.devices,
        onProblem,
        options: parts.upkeep,
      });
    }
    if (roles.includes('api') || roles.includes('gateway')) {
      const people = (): readonly PersonKey[] => this.feed?.people() ?? [];
      const common = { ...parts.audiences, bus, name: gateway, shards, clock, onProblem };
      this.#broadcasts = new SharedBroadcasts({ ...common, people });
      const opening = openingInbox(inbox, this.#broadcasts.open);
      const erase = (person: PersonKey) => eraseByOwner({ store, publisher, clock }, person);
      if (roles.includes('api')) this.inbox = new SharedInbox(opening, publisher, erase);
      if (roles.includes('gateway')) {
        this.feed = new LiveFeedBus({ gateway, presence, bus, inbox: opening, shards, clock });
        this.looking = new LookingNotesPresence({ ...parts.looking, gateway, clock });
      }
    }
    this.#topics = this.log === null ? [] : parts.openTopics(this.log, audiences);
    for (const each of [...this.#topics, parts.deliveries]) each?.failed.catch(reject);
    this.checks = this.#shards === null ? [] : [this.#shards.check];
  }

  /** Resolves when the process takes part; shards come by and by. */
  static async start(parts: ClusterParts): Promise<ClusterEngine> {
    const engine = new ClusterEngine(parts);
    // Before the first event is let in.
    await engine.log?.readLag();
    await parts.deliveries?.start();
    if (engine.#shards !== null) await parts.group?.start(engine.#shards);
    return engine;
  }

  get deadLetters(): DeadLetterService | null {
    const { roles, deliveries } = this.#parts;
    return roles.includes('api') ? (deliveries?.deadLetters ?? null) : null;
  }

  get deliveryHistory(): DeliveryHistory | null {
    const { roles, deliveries } = this.#parts;
    return roles.includes('api') ? (deliveries?.history ?? null) : null;
  }

  async metrics(): Promise<readonly Snapshot[]> {
    await this.#shards?.noteLag();
    this.#parts.deliveries?.noteLag();
    return [];
  }

  /** Types and words are those of this process's one thread, where they have been replaced already. */
  async useCatalogue(): Promise<void> {}

  async stop(): Promise<void> {
    const { group, log, profiles, bus, disconnect } = this.#parts;
    await this.feed?.close();
    await this.#broadcasts?.stop();
    await this.looking?.close();
    for (const topic of this.#topics) await topic.stop();
    await this.#upkeep?.stop();
    await this.#announcing.stop();
    await this.#audienceWork?.stop();
    if (this.#shards !== null) await group?.stop();
    await this.#parts.deliveries?.stop();
    this.#stopSharing();
    await this.log?.stop();
    this.#publisher.close();
    await log?.close();
    this.#locales.close();
    await profiles.close();
    bus.close();
    await disconnect();
  }
}

function simulatorOf(parts: ClusterParts): EventSimulator {
  const { store, profiles, capRules = usualCaps, content: catalogue = builtInContent } = parts;
  const relations = new StoredRelations(profiles, keptFollowers(parts));
  const looking = new LookingPeoplePresence(parts.looking.presence, parts.clock);
  return new Simulator({
    store,
    profiles,
    relations,
    channels: parts.deliveries?.channels ?? [],
    capRules,
    looking,
    catalogue,
  });
}

function keptFollowers({ audiences: { audiences, settings } }: ClusterParts): Followers | null {
  return followersOf(audiences, settings);
}
