/**
 * The embedded engine as the sockets' thread sees it: the ports that intake, API and gateway use, answered by the
 * store's thread (`shard-thread.ts`). Losing that thread is losing the process: nothing is acknowledged without it.
 */
import { Worker } from 'node:worker_threads';
import type { Lane } from '@carillon/contract/lanes.ts';
import type { Counts, Notification, NotificationPage } from '@carillon/contract/notification.ts';
import type { ChangesFrame, MarksFrame, ResyncFrame } from '@carillon/contract/stream.ts';
import type { AnnouncementService } from '../announce/announcement-service.ts';
import type { AudienceService } from '../audience/audience-service.ts';
import type { RevocationStore } from '../auth/revocation-store.ts';
import type { Clock } from '../base/clock.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Random } from '../base/random.ts';
import type { Snapshot } from '../base/telemetry.ts';
import type { CatalogueSource } from '../content/catalogue-source.ts';
import type { EventSimulator } from '../decide/event-simulator.ts';
import type { DeadLetterService } from '../deliver/dead-letters.ts';
import type { DeliveryHistory } from '../deliver/delivery-store.ts';
import { readFrameBatch } from '../deliver/realtime/frame-batch.ts';
import type { FeedSink, LiveFeed } from '../deliver/realtime/live-feed.ts';
import type { LookingNotes } from '../deliver/realtime/looking-people.ts';
import { LocalStreamTickets, type StreamTickets } from '../deliver/realtime/stream-tickets.ts';
import type { Engine } from '../engine.ts';
import type {
  ActorsPage,
  Catchup,
  ExplainedDecision,
  InboxService,
  MarkRequest,
  PageQuery,
  PageText,
  Why,
} from '../inbox/inbox-service.ts';
import type { IdempotencyStore } from '../intake/idempotency-store.ts';
import type { IntakeLog } from '../intake/intake-log.ts';
import { RateLimit } from '../intake/rate-limit.ts';
import type { AppendStatus } from '../log/event-log.ts';
import type { PackedBatch } from '../log/record.ts';
import { consumptionCheck, type ReadinessCheck } from '../ops/readiness.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { Rotation } from '../profile/resealing.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { Caller } from './channel.ts';
import { PageCache } from './page-cache.ts';
import { consumptionOf, createProgress, unappliedBytes } from './progress.ts';
import { remoteAnnouncements } from './remote-announcements.ts';
import { RemoteAudiences } from './remote-audiences.ts';
import { RemoteDeadLetters } from './remote-dead-letters.ts';
import { RemoteDeliveries } from './remote-deliveries.ts';
import { RemoteDevices } from './remote-devices.ts';
import { RemoteProfiles } from './remote-profiles.ts';
import { RemoteSuppressions } from './remote-suppressions.ts';
import type { Problem } from './shard-reports.ts';
import type { ShardThreadOptions } from './shard-thread-options.ts';
import { knownWays } from './ways-out.ts';

export interface EmbeddedEngineOptions extends Omit<ShardThreadOptions, 'progress'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly onProblem: (problem: Problem) => void;
}

export class EmbeddedEngine implements Engine {
  readonly log: IntakeLog;
  readonly inbox: RemoteInbox;
  readonly audiences: AudienceService;
  readonly announcements: AnnouncementService;
  readonly feed: LiveFeed;
  readonly looking: LookingNotes;
  readonly profiles: ProfileStore;
  readonly deadLetters: DeadLetterService | null;
  readonly deliveryHistory: DeliveryHistory | null;
  readonly devices: DeviceStore;
  readonly suppressions: SuppressionStore;
  readonly rotation: Rotation;
  readonly simulator: EventSimulator;
  readonly idempotency: IdempotencyStore;
  readonly revocations: RevocationStore;
  readonly tickets: StreamTickets;
  readonly rate: RateLimit;
  readonly checks: readonly ReadinessCheck[];
  /** Rejects when the store's thread ends by itself: the process must stop. */
  readonly failed: Promise<never>;
  readonly #worker: Worker;
  readonly #caller: Caller;
  #isStopping = false;

  private constructor(worker: Worker, progress: Float64Array, options: EmbeddedEngineOptions) {
    const caller = new Caller(worker);
    this.#worker = worker;
    this.#caller = caller;
    this.log = new RemoteLog(caller, progress, options.shards);
    this.inbox = new RemoteInbox(caller, options.clock);
    this.audiences = new RemoteAudiences(caller);
    this.announcements = remoteAnnouncements(caller);
    this.feed = new RemoteFeed(caller);
    this.looking = remoteLooking(caller);
    this.profiles = new RemoteProfiles(caller);
    const isSending = knownWays(options).length > 0;
    this.deadLetters = isSending ? new RemoteDeadLetters(caller) : null;
    this.deliveryHistory = isSending ? new RemoteDeliveries(caller) : null;
    this.devices = new RemoteDevices(caller);
    this.suppressions = new RemoteSuppressions(caller);
    this.rotation = {
      step: (after) => caller.call('rotationStep', [after]),
      finish: () => caller.call('rotationFinish', []),
    };
    this.simulator = { simulate: (records) => caller.call('simulate', [records]) };
    this.idempotency = {
      get: (key, nowMs) => caller.call('idempotencyGet', [key, nowMs]),
      put: (key, answer, expiresAtMs) => caller.call('idempotencyPut', [key, answer, expiresAtMs]),
      expire: (nowMs) => caller.call('idempotencyExpire', [nowMs]),
    };
    this.revocations = {
      put: (revoked) => caller.call('revocationsPut', [revoked]),
      load: (nowMs) => caller.call('revocationsLoad', [nowMs]),
    };
    this.tickets = new LocalStreamTickets(options.clock, options.random, limits);
    this.rate = new RateLimit(options.clock);
    this.checks = [consumptionCheck(() => consumptionOf(progress), options.clock)];
    caller.onNotice('problem', options.onProblem);
    this.failed = new Promise((_, reject) => {
      const fail = (error: Error): void => {
        caller.end(error);
        if (!this.#isStopping) reject(error);
      };
      worker.on('error', fail);
      worker.on('exit', (code) => fail(new Error(`the store's thread has ended with ${code}`)));
    });
    this.failed.catch(() => {});
  }

  /** Starts the store's thread; resolves when the log and the store are open. Rejects with what is wrong. */
  static async start(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
    const { onProblem: _problem, clock: _clock, random: _random, ...threadOptions } = options;
    const progress = createProgress();
    const worker = new Worker(new URL('./shard-thread.ts', import.meta.url), {
      workerData: { ...threadOptions, progress } satisfies ShardThreadOptions,
      resourceLimits: { maxYoungGenerationSizeMb: limits.storeThreadYoungMb },
    });
    const engine = new EmbeddedEngine(worker, progress, options);
    await Promise.race([new Promise((resolve) => engine.#caller.onNotice('ready', resolve)), engine.failed]);
    return engine;
  }

  async useCatalogue(source: CatalogueSource): Promise<void> {
    await this.#caller.call('useCatalogue', [source]);
    this.inbox.forgetPages();
  }

  async metrics(): Promise<readonly Snapshot[]> {
    return [await this.#caller.call<Snapshot>('metrics', [])];
  }

  /** Finishes the micro-batch at hand, closes log and store, ends the thread. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#caller.call('stop', []);
    await this.#worker.terminate();
  }
}

function remoteLooking(caller: Caller): LookingNotes {
  const note = (what: keyof LookingNotes) => (person: PersonKey) => {
    void caller.call('looking', [what, person]).catch(() => {});
  };
  return { visible: note('visible'), hidden: note('hidden'), gone: note('gone') };
}

class RemoteLog implements IntakeLog {
  readonly shards: number;
  readonly #caller: Caller;
  readonly #progress: Float64Array;
  #waitingBytes = 0;

  constructor(caller: Caller, progress: Float64Array, shards: number) {
    this.#caller = caller;
    this.#progress = progress;
    this.shards = shards;
  }

  async append({ bytes, count }: PackedBatch): Promise<AppendStatus[]> {
    const size = bytes.byteLength;
    this.#waitingBytes += size;
    try {
      const transfer = bytes.buffer as ArrayBuffer;
      const duplicates = await this.#caller.call<Uint8Array | null>('append', [{ bytes, count }], [transfer]);
      return Array.from({ length: count }, (_, index) => (duplicates?.[index] === 1 ? 'duplicate' : 'accepted'));
    } finally {
      this.#waitingBytes -= size;
    }
  }

  waitingBytes(): number {
    return this.#waitingBytes;
  }

  unappliedBytes(lane: Lane): number {
    return unappliedBytes(this.#progress, lane);
  }
}

class RemoteInbox implements InboxService {
  readonly #caller: Caller;
  readonly #clock: Clock;
  readonly #pages = new PageCache(limits.pageCacheBytesMax);

  constructor(caller: Caller, clock: Clock) {
    this.#caller = caller;
    this.#clock = clock;
    caller.onNotice<PersonKey[]>('pagesStale', (people) => {
      for (const person of people) this.#pages.drop(person);
    });
  }

  /** Their words are those of an earlier catalogue. */
  forgetPages(): void {
    this.#pages.clear();
  }

  page(person: PersonKey, query: PageQuery): Promise<NotificationPage> {
    return this.#caller.call('page', [person, query]);
  }

  async pageText(person: PersonKey, query: PageQuery): Promise<PageText> {
    const isFirst = query.cursor === null && query.type === null && query.category === null && query.state === null;
    const variant = query.locale ? `${query.limit} ${query.locale}` : query.limit;
    const kept = isFirst ? this.#pages.get(person, variant, this.#clock.now()) : null;
    if (kept !== null) return kept;
    return new Promise((resolve, reject) => {
      // Kept before any later message is looked at: the next may be that it is stale.
      const answered = ({ page, mayKeep }: { page: PageText; mayKeep: boolean }): void => {
        if (isFirst && mayKeep) this.#pages.put(person, variant, page);
        resolve(page);
      };
      this.#caller.callThen('pageText', [person, query], answered, reject);
    });
  }

  notification(person: PersonKey, id: NotificationId, locale?: string | null): Promise<Notification> {
    return this.#caller.call('notification', [person, id, locale]);
  }

  actors(person: PersonKey, id: NotificationId, cursor: string | null, limit: number): Promise<ActorsPage> {
    return this.#caller.call('actors', [person, id, cursor, limit]);
  }

  why(person: PersonKey, id: NotificationId, locale?: string | null): Promise<Why> {
    return this.#caller.call('why', [person, id, locale]);
  }

  decisions(person: PersonKey, eventId: string | null): Promise<readonly ExplainedDecision[]> {
    return this.#caller.call('decisions', [person, eventId]);
  }

  counts(person: PersonKey): Promise<Counts> {
    return this.#caller.call('counts', [person]);
  }

  changes(person: PersonKey, since: Revision, locale?: string | null): Promise<ChangesFrame | ResyncFrame> {
    return this.#caller.call('changes', [person, since, locale]);
  }

  mark(person: PersonKey, request: MarkRequest): Promise<MarksFrame> {
    return this.#caller.call('mark', [person, request]);
  }

  erase(person: PersonKey): Promise<void> {
    return this.#caller.call('erase', [person]);
  }

  catchup(person: PersonKey, since: Revision | null): Promise<Catchup> {
    return this.#caller.call('catchup', [person, since]);
  }
}

class RemoteFeed implements LiveFeed {
  readonly #caller: Caller;
  readonly #sinks = new Map<PersonKey, Set<FeedSink>>();

  constructor(caller: Caller) {
    this.#caller = caller;
    caller.onNotice<Uint8Array>('frames', (bytes) =>
      readFrameBatch(bytes, (person, frame) => {
        for (const sink of this.#sinks.get(person) ?? []) sink(frame);
      }),
    );
  }

  open(person: PersonKey, since: Revision | null, started: (catchup: Catchup) => void, sink: FeedSink): () => void {
    let isOpen = true;
    this.#caller.callThen<Catchup>('openFeed', [person, since], (catchup) => {
      if (!isOpen) return;
      started(catchup);
      // Only now: frames that came before are part of the catch-up.
      const sinks = this.#sinks.get(person) ?? new Set();
      this.#sinks.set(person, sinks.add(sink));
    });
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const sinks = this.#sinks.get(person);
      sinks?.delete(sink);
      if (sinks?.size === 0) this.#sinks.delete(person);
      void this.#caller.call('closeFeed', [person]).catch(() => {});
    };
  }
}
