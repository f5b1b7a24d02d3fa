/**
 * Audiences within the store's thread: subscriptions, the fan-out of events to them, and their place between the log and
 * the shards. Made before the shards, begun after them.
 */
import { announcementKind } from '../announce/announcement-event.ts';
import type { AudienceService } from '../audience/audience-service.ts';
import { AudienceServiceStore } from '../audience/audience-service-store.ts';
import type { AudienceSource } from '../audience/audience-source.ts';
import { AudienceSourceHttp } from '../audience/audience-source-http.ts';
import { AudienceSources } from '../audience/audience-sources.ts';
import type { AudienceStore } from '../audience/audience-store.ts';
import { AudienceWatch } from '../audience/audience-watch.ts';
import { type ApplyRecords, BroadcastMerge } from '../audience/broadcast-merge.ts';
import type { BroadcastStore, NumberedBroadcast } from '../audience/broadcast-store.ts';
import { Broadcasting } from '../audience/broadcasting.ts';
import { Fanout } from '../audience/fanout.ts';
import type { FanoutStore } from '../audience/fanout-store.ts';
import type { RecordWatch } from '../audience/record-watch.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import type { PersonKey, TenantId } from '../base/ids.ts';
import { dayMs } from '../base/iso-time.ts';
import { limits } from '../base/limits.ts';
import type { Service } from '../base/service.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Problem } from './shard-reports.ts';

export interface AudienceWorkParts {
  readonly audiences: AudienceStore;
  readonly fanouts: FanoutStore;
  readonly broadcasts: BroadcastStore;
  readonly log: EventLog;
  readonly shards: number;
  readonly clock: Clock;
  readonly settings: Config['audiences'];
  /** Of one chunk; as `limits` say unless a test wants less. */
  readonly chunkMembers?: number;
  /** Lets chunks through as the bulk lane can take them. */
  readonly room: FanoutRoom;
  /** Who announcements are for. */
  readonly announced: AudienceSource;
  readonly types: TypeCatalogue;
  /** An event is kept once for a large audience. Must not throw. */
  readonly kept: (broadcast: NumberedBroadcast) => void;
  readonly onProblem: (problem: Problem) => void;
}

export interface FanoutRoom {
  readonly room: () => Promise<void>;
  /** Whoever waits goes on. */
  close(): void;
}

export class AudienceWork implements Service {
  readonly service: AudienceService;
  readonly #parts: AudienceWorkParts;
  readonly #fanout: Fanout;
  readonly #merge: BroadcastMerge;

  constructor(parts: AudienceWorkParts) {
    const { audiences, fanouts, broadcasts, log, shards, clock, settings, types, kept } = parts;
    this.#parts = parts;
    const takesBack = (type: string): boolean => ['undo', 'gone'].includes(types.find(type)?.rule ?? '');
    this.#merge = new BroadcastMerge({ audiences, broadcasts, shards, takesBack });
    const elsewhere = new Set([announcementKind, ...settings.sources.map(({ kind }) => kind)]);
    const broadcasting = { audiences, broadcasts, above: settings.broadcastAbove, elsewhere, kept };
    this.#fanout = new Fanout({
      store: fanouts,
      source: new AudienceSources(
        sourcesOf(audiences, settings, clock),
        new Map([[announcementKind, parts.announced]]),
      ),
      broadcasting: new Broadcasting(broadcasting),
      shards,
      chunkMembers: parts.chunkMembers ?? limits.fanoutChunkMembers,
      clock,
      append: (batch) => log.append(batch),
      room: parts.room.room,
      failed: (error) => this.#failed(error),
    });
    this.service = new AudienceServiceStore({
      audiences,
      fanouts,
      clock,
      openKinds: openKinds(settings),
      waiting: () => this.#fanout.waiting,
    });
  }

  /** One for each shard. */
  watch(): RecordWatch {
    const { audiences, fanouts, settings } = this.#parts;
    const { followersKind } = settings;
    return new AudienceWatch({ audiences, fanouts, followersKind, begun: (jobs) => this.#fanout.add(jobs) });
  }

  /** Takes up what the last run left, before the log is read on. */
  async start(): Promise<void> {
    for (let shard = 0; shard < this.#parts.shards; shard++) await this.#fanout.takeUp(shard);
  }

  /**
   * The shard is worked at here from now on; answers how to end that. What is left of it is taken up as soon as the store
   * answers: meanwhile the shard gets on without.
   */
  own(shard: number): () => void {
    let isOwned = true;
    let cancel = (): void => {};
    const takeUp = (): void => {
      this.#fanout.takeUp(shard).catch((error: unknown) => {
        if (!isOwned) return;
        this.#failed(error);
        cancel = this.#parts.clock.after(limits.fanoutRetryMs.first, takeUp);
      });
    };
    takeUp();
    return () => {
      isOwned = false;
      cancel();
      this.#fanout.drop(shard);
    };
  }

  /** See `BroadcastMerge`. */
  merge(tenant: TenantId, people: readonly PersonKey[], apply: ApplyRecords): Promise<number> {
    return this.#merge.merge(tenant, people, apply);
  }

  /** Forgets what it need not know any more: fan-outs done before a time, from when on the log would bring them again. */
  async prune(beforeMs: number): Promise<void> {
    const { audiences, fanouts, broadcasts, settings, clock } = this.#parts;
    while ((await audiences.prune(clock.now() - limits.departuresKeptMs)) > 0);
    while ((await fanouts.prune(beforeMs)) > 0);
    while ((await broadcasts.prune(clock.now() - settings.broadcastDays * dayMs)) > 0);
  }

  /** Before the shards stop: a chunk at hand is written to their log. */
  async stop(): Promise<void> {
    this.#parts.room.close();
    await this.#fanout.stop();
  }

  #failed(error: unknown): void {
    const code = (error as { code?: unknown } | null)?.code;
    this.#parts.onProblem({ event: 'fanoutFailed', fields: { code: typeof code === 'string' ? code : 'unknown' } });
  }
}

/** Where members are read: our subscriptions, or the app. */
export function sourcesOf(own: AudienceStore, { sources }: Config['audiences'], clock: Clock): AudienceSources {
  const byKind = sources.map(
    ({ kind, url, secret }) => [kind, new AudienceSourceHttp({ url, secret, clock })] as const,
  );
  return new AudienceSources(own, new Map(byKind));
}

/** Audiences of these kinds exist whether or not anybody has joined one. */
export function openKinds({ followersKind, sources }: Config['audiences']): ReadonlySet<string> {
  return new Set([followersKind, ...sources.map(({ kind }) => kind)]);
}
