/**
 * Deliveries of one process of a cluster. Shards hand over to each channel's log; who has the role `deliver` owns some
 * shards of all channels together, by a group of its own, and works at what was handed over there. Writes begin only while
 * the shard is held, and no provider is called once it is not.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Random } from '../base/random.ts';
import type { Service } from '../base/service.ts';
import type { LiveContent } from '../content/live-content.ts';
import type { DeadLetterStore } from '../deliver/dead-letter-store.ts';
import { type DeadLetterService, DeadLetters } from '../deliver/dead-letters.ts';
import type { OutwardName } from '../deliver/delivery.ts';
import type { DeliveryHistory, DeliveryStore } from '../deliver/delivery-store.ts';
import { DeliveryWorker } from '../deliver/delivery-worker.ts';
import { Gates } from '../deliver/gates.ts';
import { LastLook } from '../deliver/last-look.ts';
import { LogChannel, type LogChannelParts } from '../deliver/log-channel.ts';
import type { Outlet } from '../deliver/outlet.ts';
import type { OutwardChannel } from '../deliver/outward-channel.ts';
import type { LookingPeople } from '../deliver/realtime/looking-people.ts';
import type { RetryTimers } from '../deliver/retry-timers.ts';
import { DeliveryReports } from '../embedded/delivery-reports.ts';
import type { Problem } from '../embedded/shard-reports.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { type EventLog, type Position, startPosition } from '../log/event-log.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { OwnershipListener, ShardOwnership } from '../shard/shard-ownership.ts';
import { ShardNotHeld } from './fenced-store.ts';
import { OwnedDelivery } from './owned-delivery.ts';

export interface SharedWay {
  readonly name: OutwardName;
  readonly log: EventLog;
  readonly endpointOf: LogChannelParts['endpointOf'];
  /** Null: this process hands over, and sends nothing. */
  readonly outlet: Outlet | null;
  /** Lets go of the providers. */
  close(): Promise<void>;
}

export interface SharedDeliveriesParts {
  readonly ways: readonly SharedWay[];
  readonly shards: number;
  /** Null: this process hands over, and sends nothing. */
  readonly group: ShardOwnership | null;
  readonly store: DeliveryStore;
  readonly timers: RetryTimers;
  readonly deadLetters: DeadLetterStore;
  readonly profiles: ProfileStore;
  readonly inbox: Pick<InboxStore, 'item' | 'marks'>;
  readonly looking: LookingPeople;
  readonly unreadOf: (person: PersonKey) => Promise<number>;
  readonly content: LiveContent;
  readonly logKeptMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly onProblem: (problem: Problem) => void;
}

/** Timers of each channel lie apart from those of shards, and from the other's. */
const timerShards: Readonly<Record<OutwardName, number>> = { push: 10_000, email: 20_000 };

export class SharedDeliveries implements Service {
  /** For the shards. */
  readonly channels: readonly OutwardChannel[];
  /** Null: there is nothing to send by. */
  readonly deadLetters: DeadLetterService | null;
  /** Null: there is nothing to send by. */
  readonly history: DeliveryHistory | null;
  /** Rejects when the process must stop. */
  readonly failed: Promise<never>;
  readonly #parts: SharedDeliveriesParts;
  readonly #looks: ReadonlyMap<OutwardName, LastLook>;
  readonly #reports: DeliveryReports;
  readonly #gates: ReadonlyMap<OutwardName, Gates>;
  readonly #owned = new Map<number, ReadonlyMap<OutwardName, OwnedDelivery>>();
  readonly #fail: (error: unknown) => void;
  readonly #cancel: () => void;
  #trimming: Promise<void> = Promise.resolve();

  constructor(parts: SharedDeliveriesParts) {
    this.#parts = parts;
    const { ways, shards, clock, onProblem } = parts;
    this.#reports = new DeliveryReports(clock, onProblem);
    const channels = ways.map((way) => new LogChannel({ ...way, shards }));
    this.channels = channels;
    this.#looks = new Map(ways.map((way) => [way.name, this.#newLook(reachKnownBy(way))]));
    const { deadLetters: letters, store: deliveries } = parts;
    const service = new DeadLetters({ letters, deliveries, channels, looks: this.#looks, clock });
    this.deadLetters = ways.length === 0 ? null : service;
    this.history = ways.length === 0 ? null : deliveries;
    this.#gates = new Map(ways.map(({ name }) => [name, new Gates(clock)]));
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    promise.catch(() => {});
    this.#fail = reject;
    this.#cancel = clock.every(limits.retentionEveryMs, () => {
      this.#trimming = this.#trim().catch((error: unknown) => this.#reports.trimFailed(error));
    });
  }

  async start(): Promise<void> {
    const listener: OwnershipListener = {
      gained: (shards) => this.#gained(shards),
      lost: (shards) => this.#lost(shards),
      failed: this.#fail,
    };
    await this.#parts.group?.start(listener);
  }

  async #gained(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      if (this.#owned.has(shard)) continue;
      const workers = this.#parts.ways.flatMap((way) => {
        const { outlet } = way;
        return outlet === null ? [] : [[way.name, this.#own(shard, way, outlet)] as const];
      });
      this.#owned.set(shard, new Map(workers));
    }
  }

  async #lost(shards: readonly number[]): Promise<void> {
    const stopping = shards.map(async (shard) => {
      await Promise.all([...(this.#owned.get(shard)?.values() ?? [])].map((each) => each.stop()));
      this.#owned.delete(shard);
    });
    await Promise.all(stopping);
  }

  noteLag(): void {
    for (const { name } of this.#parts.ways) {
      const workers = [...this.#owned.values()].flatMap((each) => each.get(name)?.worker ?? []);
      const waiting = lanes.map((_, lane) => workers.reduce((sum, worker) => sum + worker.behindBytes(lane), 0));
      this.#reports.noteLag(name, waiting);
      this.#reports.noteCircuits((this.#gates.get(name) as Gates).circuits);
    }
  }

  /** After the shards, which hand over until they stop. */
  async stop(): Promise<void> {
    const { group, ways } = this.#parts;
    this.#cancel();
    await this.#trimming;
    await group?.stop();
    for (const look of this.#looks.values()) look.close();
    for (const { log, close } of ways) {
      await log.close();
      await close();
    }
  }

  #own(shard: number, { name, log }: SharedWay, outlet: Outlet): OwnedDelivery {
    const { clock, random, unreadOf } = this.#parts;
    const group = this.#parts.group as ShardOwnership;
    const store = fencedDeliveries(this.#parts.store, group);
    const timers = channelTimers(this.#parts.timers, name, group);
    const gates = this.#gates.get(name) as Gates;
    const listener = this.#reports;
    const isHeld = (): boolean => group.holds(shard);
    const { deadLetters } = this.#parts;
    const common = { shard, log, store, timers, deadLetters, outlet, gates, clock, random, listener, unreadOf, isHeld };
    return new OwnedDelivery({
      newWorker: () => new DeliveryWorker({ ...common, look: this.#newLook(outlet) }),
      clock,
      failed: (error) => this.#reports.failed(name, error),
    });
  }

  #newLook(outlet: Pick<Outlet, 'channel' | 'reach'>): LastLook {
    const { profiles, inbox, looking, content: catalogue, clock } = this.#parts;
    return new LastLook({ outlet, profiles, inbox, looking, catalogue, clock });
  }

  async #trim(): Promise<void> {
    const { ways, clock, logKeptMs } = this.#parts;
    while ((await this.#parts.deadLetters.expire(clock.now() - limits.deliveriesKeptMs)) > 0);
    for (const { name, log } of ways) {
      await log.trim(clock.now() - logKeptMs, (shard, lane): Position => {
        const worker = this.#owned.get(shard)?.get(name)?.worker ?? null;
        if (worker === null) return startPosition;
        const index = lanes.indexOf(lane);
        return worker.behindBytes(index) > 0 ? (worker.positions?.[index] ?? startPosition) : Number.POSITIVE_INFINITY;
      });
    }
  }
}

/** Of a process that sends nothing: what a shard knows of a person. */
function reachKnownBy({ name, outlet, endpointOf }: SharedWay): Pick<Outlet, 'channel' | 'reach'> {
  if (outlet !== null) return outlet;
  return { channel: name, reach: async (person, profile) => ({ state: endpointOf(person, profile), endpoints: [] }) };
}

type Held = Pick<ShardOwnership, 'mayFinish'>;

/** What providers have answered is put on record also while the shard is given up: else it would count as lost. */
function requireHeld(group: Held, shard: number): void {
  if (!group.mayFinish(shard)) throw new ShardNotHeld(`Deliveries of shard ${shard} may have another owner.`);
}

function fencedDeliveries(store: DeliveryStore, group: Held): DeliveryStore {
  return {
    async write(change) {
      requireHeld(group, change.shard);
      await store.write(change);
    },
    positions: store.positions.bind(store),
    find: store.find.bind(store),
    ofNotification: store.ofNotification.bind(store),
    byProviderId: store.byProviderId.bind(store),
    expire: store.expire.bind(store),
  };
}

/** Those of one channel, in shards of their own. */
function channelTimers(timers: RetryTimers, channel: OutwardName, group: Held): RetryTimers {
  const own = (shard: number): number => timerShards[channel] + shard;
  return {
    open: (shard) => timers.open(own(shard)),
    async write(shard, change) {
      requireHeld(group, shard);
      await timers.write(own(shard), change);
    },
    due: (shard, nowMs, max) => timers.due(own(shard), nowMs, max),
    nextDueMs: (shard) => timers.nextDueMs(own(shard)),
  };
}
