/**
 * Deliveries of the embedded engine: for each channel that anything can be sent by, a log of its own and a worker for each
 * shard, over one database beside the inboxes', so that syncs of one do not wait for the other.
 *
 *     <data>/deliveries/store    what became of everything, and retries
 *     <data>/deliveries/<channel>    what the shards have handed over
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lanes } from '@carillon/contract/lanes.ts';
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Random } from '../base/random.ts';
import type { Service } from '../base/service.ts';
import type { LiveContent } from '../content/live-content.ts';
import { DeadLetterStoreLevel } from '../deliver/dead-letter-store-level.ts';
import { type DeadLetterService, DeadLetters } from '../deliver/dead-letters.ts';
import type { OutwardName } from '../deliver/delivery.ts';
import type { DeliveryStore } from '../deliver/delivery-store.ts';
import { DeliveryStoreLevel } from '../deliver/delivery-store-level.ts';
import { DeliveryWorker } from '../deliver/delivery-worker.ts';
import { Gates } from '../deliver/gates.ts';
import { LastLook } from '../deliver/last-look.ts';
import { LogChannel } from '../deliver/log-channel.ts';
import type { Outlet } from '../deliver/outlet.ts';
import type { OutwardChannel } from '../deliver/outward-channel.ts';
import type { LookingPeople } from '../deliver/realtime/looking-people.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { type LevelDb, openLevel } from '../inbox/open-level.ts';
import { startPosition } from '../log/event-log.ts';
import { EventLogSegments } from '../log/event-log-segments.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { TimerStoreLevel } from '../shard/timer-store-level.ts';
import { countCommits } from './count-commits.ts';
import { DeliveryReports } from './delivery-reports.ts';
import type { Problem } from './shard-reports.ts';
import type { WayOut } from './ways-out.ts';

export interface DeliveryWorkParts {
  readonly dataDir: string;
  readonly shards: number;
  readonly segmentBytes: number;
  readonly logKeptMs: number;
  /** None: nothing is opened. */
  readonly ways: readonly WayOut[];
  readonly profiles: ProfileStore;
  readonly inbox: Pick<InboxStore, 'item' | 'marks'>;
  readonly looking?: LookingPeople;
  readonly unreadOf: (person: PersonKey) => Promise<number>;
  readonly content: LiveContent;
  readonly clock: Clock;
  readonly random: Random;
  readonly onProblem: (problem: Problem) => void;
}

interface Line {
  readonly name: OutwardName;
  readonly log: EventLogSegments;
  readonly channel: LogChannel;
  readonly gates: Gates;
  readonly workers: readonly DeliveryWorker[];
}

/** Few rows are written, each of them once or twice. */
const writeBufferBytes = 16 * 1024 * 1024;

export class DeliveryWork implements Service {
  /** For the shards. */
  readonly channels: readonly OutwardChannel[];
  /** Null: there is nothing to send by. */
  readonly store: DeliveryStore | null;
  /** Null: there is nothing to send by. */
  readonly deadLetters: DeadLetterService | null;
  /** Rejects when a worker has failed beyond repair. */
  readonly failed: Promise<unknown>;
  readonly #parts: DeliveryWorkParts;
  readonly #db: LevelDb | null;
  readonly #lines: readonly Line[];
  readonly #looks: ReadonlyMap<OutwardName, LastLook>;
  readonly #reports: DeliveryReports;
  readonly #cancel: () => void;
  #sweeping: Promise<void> = Promise.resolve();

  private constructor(parts: DeliveryWorkParts, db: LevelDb | null) {
    this.#parts = parts;
    this.#db = db;
    this.#reports = new DeliveryReports(parts.clock, parts.onProblem);
    this.store = db === null ? null : new DeliveryStoreLevel(db);
    this.#lines = db === null ? [] : parts.ways.map((way) => this.#lineOf(way, db));
    this.channels = this.#lines.map(({ channel }) => channel);
    this.#looks = new Map(parts.ways.map(({ name, outlet }) => [name, this.#newLook(outlet)]));
    this.deadLetters = db === null ? null : this.#deadLettersIn(db);
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    promise.catch(() => {});
    this.#fail = reject;
    this.#cancel = parts.clock.every(limits.retentionEveryMs, () => {
      this.#sweeping = this.#sweep().catch((error: unknown) => this.#reports.trimFailed(error));
    });
  }

  readonly #fail: (error: unknown) => void;

  static async open(parts: DeliveryWorkParts): Promise<DeliveryWork> {
    if (parts.ways.length === 0) return new DeliveryWork(parts, null);
    const folder = join(parts.dataDir, 'deliveries');
    await mkdir(join(folder, 'store'), { recursive: true });
    for (const { outlet } of parts.ways) await mkdir(join(folder, outlet.channel), { recursive: true });
    return new DeliveryWork(parts, await openLevel(join(folder, 'store'), writeBufferBytes));
  }

  /** Reads on from where the last run left off. */
  async start(): Promise<void> {
    for (const { workers } of this.#lines) {
      for (const worker of workers) {
        await worker.start();
        worker.failed.catch(this.#fail);
      }
    }
  }

  noteLag(): void {
    for (const { name, gates, workers } of this.#lines) {
      const waiting = lanes.map((_, lane) => workers.reduce((sum, worker) => sum + worker.behindBytes(lane), 0));
      this.#reports.noteLag(name, waiting);
      this.#reports.noteCircuits(gates.circuits);
    }
  }

  /** After the shards, which hand over until they stop. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#sweeping;
    await Promise.all(this.#lines.flatMap(({ workers }) => workers.map((worker) => worker.stop())));
    for (const { log } of this.#lines) await log.close();
    for (const look of this.#looks.values()) look.close();
    for (const way of this.#parts.ways) await way.close();
    await this.#db?.close();
  }

  #lineOf({ outlet, endpointOf }: WayOut, db: LevelDb): Line {
    const { dataDir, segmentBytes, shards, clock, random, unreadOf } = this.#parts;
    const name = outlet.channel;
    const log = EventLogSegments.open(join(dataDir, 'deliveries', name), { segmentBytes }, countCommits(clock));
    const gates = new Gates(clock);
    const store = this.store as DeliveryStore;
    const timers = new TimerStoreLevel(db, `t${name}/`);
    const deadLetters = new DeadLetterStoreLevel(db);
    const common = { log, store, timers, deadLetters, outlet, unreadOf, gates, clock, random, listener: this.#reports };
    const workers = Array.from({ length: shards }, (_, shard) => {
      return new DeliveryWorker({ ...common, shard, look: this.#newLook(outlet) });
    });
    return { name, log, gates, channel: new LogChannel({ name, log, shards, endpointOf }), workers };
  }

  #newLook(outlet: Outlet): LastLook {
    const { profiles, inbox, content: catalogue, clock, looking } = this.#parts;
    return new LastLook({ outlet, profiles, inbox, catalogue, clock, ...(looking && { looking }) });
  }

  #deadLettersIn(db: LevelDb): DeadLetterService {
    const letters = new DeadLetterStoreLevel(db);
    const deliveries = this.store as DeliveryStore;
    const channels = this.#lines.map(({ channel }) => channel);
    return new DeadLetters({ letters, deliveries, channels, looks: this.#looks, clock: this.#parts.clock });
  }

  async #sweep(): Promise<void> {
    const { clock, logKeptMs } = this.#parts;
    for (const { log, workers } of this.#lines) {
      await log.trim(clock.now() - logKeptMs, (shard, lane) => {
        const worker = workers[shard] as DeliveryWorker;
        const index = lanes.indexOf(lane);
        return worker.behindBytes(index) > 0 ? (worker.positions?.[index] ?? startPosition) : Number.POSITIVE_INFINITY;
      });
    }
    const beforeMs = clock.now() - limits.deliveriesKeptMs;
    while (((await this.store?.expire(beforeMs)) ?? 0) > 0);
    if (this.#db !== null) while ((await new DeadLetterStoreLevel(this.#db).expire(beforeMs)) > 0);
  }
}
