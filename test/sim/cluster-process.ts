/** One process of the simulated cluster: the real engine of its roles over ports in memory that may fail, stall or end it. */

import { AnnouncementStoreMemory } from '../../server/src/announce/announcement-store-memory.ts';
import { AudienceStoreMemory } from '../../server/src/audience/audience-store-memory.ts';
import { BroadcastStoreMemory } from '../../server/src/audience/broadcast-store-memory.ts';
import { FanoutStoreMemory } from '../../server/src/audience/fanout-store-memory.ts';
import { RevocationStoreMemory } from '../../server/src/auth/revocation-store-memory.ts';
import type { Clock } from '../../server/src/base/clock.ts';
import type { Role } from '../../server/src/base/config-schema.ts';
import { defaultTenant } from '../../server/src/base/ids.ts';
import { seededRandom } from '../../server/src/base/random.ts';
import { ClusterEngine } from '../../server/src/cluster/cluster-engine.ts';
import type { AudienceStores } from '../../server/src/cluster/shared-audiences.ts';
import { builtInTypes } from '../../server/src/content/type-catalogue.ts';
import { type BusHub, BusMemory } from '../../server/src/deliver/realtime/bus-memory.ts';
import type { LiveFeed } from '../../server/src/deliver/realtime/live-feed.ts';
import type { Presence } from '../../server/src/deliver/realtime/presence.ts';
import { PresenceMemory } from '../../server/src/deliver/realtime/presence-memory.ts';
import type { InboxService } from '../../server/src/inbox/inbox-service.ts';
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import { IdempotencyStoreMemory } from '../../server/src/intake/idempotency-store-memory.ts';
import { Intake } from '../../server/src/intake/intake.ts';
import type { EventLog } from '../../server/src/log/event-log.ts';
import { DeviceStoreMemory } from '../../server/src/profile/device-store-memory.ts';
import { KeyRegisterMemory } from '../../server/src/profile/key-register-memory.ts';
import { ProfileStoreMemory } from '../../server/src/profile/profile-store-memory.ts';
import { Resealing } from '../../server/src/profile/resealing.ts';
import { SuppressionStoreMemory } from '../../server/src/profile/suppression-store-memory.ts';
import type { ShardMemory } from '../../server/src/shard/shard-memory.ts';
import { TimerStoreMemory } from '../../server/src/shard/timer-store-memory.ts';
import type { Faults } from './faults.ts';
import { ProcessLife } from './faults.ts';
import { Member, type SimulatedGroup } from './simulated-group.ts';

/** What all processes share: what would be servers of their own. */
export interface SharedServices {
  readonly shards: number;
  readonly log: EventLog;
  readonly store: InboxStore;
  readonly hub: BusHub;
  readonly presence: Presence;
  readonly group: SimulatedGroup;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly memory: ShardMemory;
  readonly behind: () => Promise<readonly number[]>;
  /** New ones for each process unless given. */
  readonly audiences?: AudienceStores;
}

const producer = {
  kind: 'producer',
  tenant: defaultTenant,
  caller: 'app',
  sources: ['*'],
  expiresAtMs: Number.POSITIVE_INFINITY,
} as const;

export class ClusterProcess {
  readonly engine: ClusterEngine;
  readonly life: ProcessLife;
  readonly #bus: BusMemory;
  readonly #member: Member | null;
  readonly #intake: Intake | null;

  private constructor(engine: ClusterEngine, life: ProcessLife, bus: BusMemory, member: Member | null) {
    this.engine = engine;
    this.life = life;
    this.#bus = bus;
    this.#member = member;
    const { log } = engine;
    const { audiences } = engine;
    const known = audiences === null ? {} : { audiences };
    this.#intake = log && new Intake({ log, types: builtInTypes, clock: life.clock, ...known });
  }

  /** `name`: new with each start. */
  static async start(services: SharedServices, roles: readonly Role[], name: string): Promise<ClusterProcess> {
    const life = new ProcessLife(services.faults, services.clock);
    const bus = new BusMemory(services.hub);
    const member = roles.includes('shard') ? new Member(services.group) : null;
    const { shards, memory, behind } = services;
    const profiles = new ProfileStoreMemory(life.clock);
    const parts = {
      roles,
      shards,
      memory,
      behind,
      bulkBehind: async () => (await behind())[2] ?? 0,
      bus,
      group: member,
      log: life.around(unclosed(services.log)),
      store: life.around(unclosed(fencedInside(services.store, member)), [
        'write',
        'positions',
        'head',
        'rows',
        'marks',
      ]),
      audiences: services.audiences ?? memoryAudiences(),
      announce: { selfApproval: false, staleAfterMs: 3_600_000 },
      random: seededRandom(1),
      profiles,
      devices: new DeviceStoreMemory(profiles, life.clock),
      suppressions: new SuppressionStoreMemory(life.clock, 5),
      rotation: new Resealing([], new KeyRegisterMemory(), 'k'),
      timers: new TimerStoreMemory(),
      presence: life.around(services.presence, ['gatewaysOf']),
      looking: { presence: new PresenceMemory(life.clock), keptMs: 10_000 },
      gateway: name,
      idempotency: new IdempotencyStoreMemory(),
      revocations: new RevocationStoreMemory(),
      openTopics: () => [],
      rateShare: { spend: async () => new Map<string, number>() },
      tickets: { issue: () => Promise.reject(new Error('none here')), redeem: async () => null },
      clock: life.clock,
      cursorSecret: new Uint8Array(32),
      upkeep: {
        logKeptMs: 1e12,
        rowsPerPersonMax: 5000,
        retentionMs: 1e12,
        deviceIdleDays: { apns: 1, fcm: 1, webpush: 1, expo: 1 },
      },
      onProblem: () => {},
      disconnect: async () => {},
    };
    const started = ClusterEngine.start(parts);
    const engine = await Promise.race([started, life.crashed.then(() => null)]);
    if (engine !== null) return new ClusterProcess(engine, life, bus, member);
    bus.close();
    await member?.expire();
    throw new Error('died at its start');
  }

  /** Of a process that people speak with. */
  get front(): { feed: LiveFeed; inbox: InboxService } {
    const { feed, inbox } = this.engine;
    if (feed === null || inbox === null) throw new Error('not a front process');
    return { feed, inbox };
  }

  /** Answers once the events are acknowledged. Rejects unless all are. */
  async take(events: readonly object[]): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const answer = await (this.#intake as Intake).accept(producer, Buffer.from(JSON.stringify(events)), headers);
    if (answer.includes('"rejected"')) throw new Error(`refused: ${answer}`);
  }

  /** Others find it gone. */
  async buried(): Promise<void> {
    this.#bus.close();
    await this.#member?.expire();
  }
}

export function memoryAudiences(broadcastAbove = 10_000): AudienceStores {
  const settings = { followersKind: 'followers', sources: [], broadcastAbove, broadcastDays: 30 };
  const stores = { audiences: new AudienceStoreMemory(), fanouts: new FanoutStoreMemory() };
  return { ...stores, broadcasts: new BroadcastStoreMemory(), announcements: new AnnouncementStoreMemory(), settings };
}

/** The services outlive the process. */
function unclosed<Port extends { close(): Promise<void> }>(port: Port): Port {
  return new Proxy(port, {
    get(target, name) {
      if (name === 'close') return async () => {};
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** A late write of an owner that is none any more loses; here always, in Cassandra by its revision. */
function fencedInside(store: InboxStore, member: Member | null): InboxStore {
  if (member === null) return store;
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      if (name !== 'write') return method.bind(target);
      return async (...args: Parameters<InboxStore['write']>) => {
        if (!member.holds(args[0])) throw new Error('another owner was first');
        await target.write(...args);
      };
    },
  });
}
