/**
 * Everything of the embedded engine that touches the disk: log, store, shard executors, retention. It runs where it is
 * put, on a thread of its own or on the caller's, and speaks in values that cross a thread boundary.
 *
 * Order: frames leave (`onFrames`) after the write they tell of; a feed opens between two micro-batches, so that its
 * catch-up and the frames after it neither overlap nor leave a gap.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import type { MarksFrame } from '@carillon/contract/stream.ts';
import type { RecordWatch } from '../audience/record-watch.ts';
import type { Clock } from '../base/clock.ts';
import { shardOf } from '../base/hash.ts';
import { type PersonKey, type Revision, splitPersonKey, type TenantId } from '../base/ids.ts';
import type { LogEvent } from '../base/log-events.ts';
import { nextRevision } from '../base/revision.ts';
import { builtInContent, type LiveContent } from '../content/live-content.ts';
import type { CapRules } from '../decide/caps.ts';
import type { Decision } from '../decide/decision.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import { changesFrames } from '../deliver/realtime/changes-frames.ts';
import { FrameBatchWriter, marksFrame } from '../deliver/realtime/frame-batch.ts';
import type { Catchup, InboxService, MarkRequest, PageQuery, PageText } from '../inbox/inbox-service.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { Item } from '../inbox/item.ts';
import type { AppendStatus, EventLog } from '../log/event-log.ts';
import type { PackedBatch } from '../log/record.ts';
import { localeOf } from '../profile/person-locales.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { eraseInbox } from '../shard/erase-inbox.ts';
import type { Person } from '../shard/person.ts';
import type { RelationReader } from '../shard/relation-reader.ts';
import { ShardExecutor } from '../shard/shard-executor.ts';
import type { ShardListener } from '../shard/shard-listener.ts';
import { type ShardMemory, usualMemory } from '../shard/shard-memory.ts';
import type { ShardOptions } from '../shard/shard-options.ts';
import { PageHolders } from './page-holders.ts';
import { noteApplied, noteBacklog } from './progress.ts';
import { type Problem, ShardReports } from './shard-reports.ts';

export interface ShardHostParts {
  readonly log: EventLog;
  readonly store: InboxStore;
  readonly inbox: InboxService;
  /** Absent: nobody has a profile. */
  readonly profiles?: ProfileStore;
  readonly relations?: RelationReader;
  readonly outward?: NonNullable<ShardOptions['outward']>;
  readonly capRules?: CapRules;
  /** The rules of zones; those of this process unless given. */
  readonly zoneData?: string;
  readonly clock: Clock;
  readonly shards: number;
  /** Live frames of one micro-batch, as `readFrameBatch` reads them. */
  readonly onFrames: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** See `progress.ts`: kept current for admission and probes. */
  readonly progress: Float64Array;
  /** One event was decided for one recipient; it counts once its micro-batch is written. */
  readonly onDecided?: (event: EventFacts, user: string, decision: Decision) => void;
  readonly onProblem: (problem: Problem) => void;
  /** Pages of these people that were kept show an older state now. Before the frames of the same change. */
  readonly onPagesStale?: (people: PersonKey[]) => void;
  readonly memory?: ShardMemory;
  /** Sees the records of a shard. */
  readonly watch?: (shard: number) => RecordWatch;
  /** A micro-batch is applied and published. */
  readonly onApplied?: () => void;
  /** The built-in types and words unless given. */
  readonly content?: LiveContent;
}

export class ShardHost {
  readonly #parts: ShardHostParts;
  readonly #executors: ShardExecutor[];
  readonly #watched = new Map<PersonKey, number>();
  readonly #frames = new FrameBatchWriter();
  readonly #pageHolders: PageHolders;
  readonly #reports: ShardReports;
  /** What was waiting at the start is not applied yet. */
  #isReplaying = false;

  constructor(parts: ShardHostParts) {
    this.#parts = parts;
    this.#reports = new ShardReports(parts.onProblem);
    this.#pageHolders = new PageHolders(parts.onPagesStale ?? (() => {}));
    const { log, store, clock, outward, memory = usualMemory, content: catalogue = builtInContent } = parts;
    const { profiles, relations, capRules, zoneData } = parts;
    const listener = this.#listener();
    const known = { ...(profiles && { profiles }), ...(relations && { relations }), ...(outward && { outward }) };
    const rules = { ...(capRules && { capRules }), ...(zoneData && { zoneData }) };
    const common = { log, store, clock, listener, catalogue, memory, ...known, ...rules };
    this.#executors = Array.from({ length: parts.shards }, (_, shard) => {
      const watch = parts.watch?.(shard);
      return new ShardExecutor({ ...common, shard, ...(watch && { watch }) });
    });
  }

  async start(): Promise<void> {
    for (const executor of this.#executors) {
      const bytes = await executor.start();
      if (bytes === 0) continue;
      this.#isReplaying = true;
      this.#parts.onProblem({ event: 'shardReplaying', fields: { bytes } });
    }
    this.#noteBacklog();
  }

  /** Stops applying, writes what is at hand, closes. What is left in the log is applied after the next start. */
  async stop(): Promise<void> {
    for (const executor of this.#executors) await executor.stop();
    await this.#parts.log.close();
    await this.#parts.store.close();
  }

  /** Rejects when a shard has failed beyond repair. */
  get failed(): Promise<unknown> {
    return Promise.all(this.#executors.map((executor) => executor.failed));
  }

  /** Resolves once everything appended before is applied and published. */
  async settled(): Promise<void> {
    for (const executor of this.#executors) {
      do await executor.between(async () => {});
      while (lanes.some((_, lane) => executor.behindBytes(lane) > 0));
      await executor.between(async () => {});
    }
  }

  /** Appends; answers null when all records were accepted, else 1 per duplicate and 0 per accepted one. */
  async append(batch: PackedBatch): Promise<Uint8Array | null> {
    const { log, clock } = this.#parts;
    const beganMs = clock.monotonic();
    let statuses: AppendStatus[];
    try {
      statuses = await log.append(batch);
    } catch (error) {
      this.#reports.appendFailed(error);
      throw error;
    }
    this.#reports.appended(clock.monotonic() - beganMs);
    this.#noteBacklog();
    if (!statuses.includes('duplicate')) return null;
    return Uint8Array.from(statuses, (status) => (status === 'duplicate' ? 1 : 0));
  }

  /** Opens a feed: from now on this person's changes are among the frames. */
  openFeed(person: PersonKey, since: Revision | null): Promise<Catchup> {
    return this.#executorOf(person).between(async () => {
      const catchup = await this.#parts.inbox.catchup(person, since);
      this.#watched.set(person, (this.#watched.get(person) ?? 0) + 1);
      return catchup;
    });
  }

  /** In turn with `openFeed`, so that a feed closed before it was open does not stay. */
  closeFeed(person: PersonKey): Promise<void> {
    return this.#executorOf(person).between(async () => {
      const left = (this.#watched.get(person) ?? 0) - 1;
      if (left > 0) this.#watched.set(person, left);
      else this.#watched.delete(person);
    });
  }

  /** A page, and whether it may be kept until `onPagesStale` names its person. */
  async pageText(person: PersonKey, query: PageQuery): Promise<{ page: PageText; mayKeep: boolean }> {
    const read = this.#pageHolders.begin(person);
    const page = await this.#parts.inbox.pageText(person, query);
    return { page, mayKeep: this.#pageHolders.mayKeep(person, read) };
  }

  /** Applies records that are not in the log to people of one shard. */
  take(shard: number, batches: readonly PackedBatch[]): Promise<void> {
    return (this.#executors[shard] as ShardExecutor).take(batches);
  }

  /** Whoever has a feed open. */
  watched(): readonly PersonKey[] {
    return [...this.#watched.keys()];
  }

  /** Something that is not in the inboxes yet may come to anybody of a tenant who opens theirs. */
  forgetPagesOf(tenant: TenantId): void {
    this.#pageHolders.changed(this.#pageHolders.all().filter((person) => splitPersonKey(person).tenant === tenant));
  }

  /** What their pages depend on beside the inbox has changed. */
  forgetPages(people: readonly PersonKey[]): void {
    this.#pageHolders.changed(people);
  }

  /** Marks, tells the person's other devices, and closes the groups that are read now. */
  mark(person: PersonKey, request: MarkRequest): Promise<MarksFrame> {
    const executor = this.#executorOf(person);
    return executor.between(async () => {
      const frame = await this.#parts.inbox.mark(person, request);
      this.#pageHolders.changed([person]);
      const cached = executor.cached(person);
      if (cached !== undefined) cached.marks = await this.#parts.store.marks(person);
      if (this.#watched.has(person)) {
        this.#frames.add(person, marksFrame(frame));
        this.#flushFrames();
      }
      return frame;
    });
  }

  /** Retention: removes rows when the executor is not writing this person, and tells the person's streams. */
  removeRows(person: PersonKey, items: readonly Item[]): Promise<void> {
    const executor = this.#executorOf(person);
    return executor.between(async () => {
      const { store, clock } = this.#parts;
      const head = await store.head(person, 1);
      const previous = Math.max(
        head.deepRevision,
        ...head.items.map(({ revision }) => revision),
        ...items.map(({ revision }) => revision),
        executor.cached(person)?.revision ?? 0,
      );
      await store.remove(person, items, nextRevision(previous, clock.now()));
      this.#pageHolders.changed([person]);
      executor.forget(person);
      this.#reports.trimmed(items.length);
    });
  }

  async erase(person: PersonKey): Promise<void> {
    const { store, clock } = this.#parts;
    await eraseInbox({ executor: this.#executorOf(person), store, clock }, person);
    this.#pageHolders.changed([person]);
  }

  /** Tells operators of a failure, by its code only: messages may quote what somebody sent. */
  report(event: LogEvent, error: unknown): void {
    this.#reports.report(event, error);
  }

  /** By lane: how long ago the oldest event was accepted that is durable and not applied; 0 where none waits. In ms. */
  async oldestUnappliedMs(): Promise<readonly number[]> {
    const { log, clock } = this.#parts;
    const found = lanes.map(async (lane, index) => {
      const behind = [...this.#executors.entries()].filter(([, executor]) => executor.behindBytes(index) > 0);
      const times = behind.map(([shard, { positions }]) => log.acceptedAt(shard, lane, positions[index] ?? 0));
      const known = (await Promise.all(times)).filter((time) => time !== null);
      return known.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...known));
    });
    return Promise.all(found);
  }

  /** Bytes of a lane that are durable and not yet applied. */
  behindBytes(lane: Lane): number {
    return this.#executors.reduce((sum, executor) => sum + executor.behindBytes(lanes.indexOf(lane)), 0);
  }

  /** Everything in the log before this is applied; infinite when all of it is. */
  get appliedPosition(): number {
    return Math.min(...this.#executors.map(({ appliedPosition }) => appliedPosition));
  }

  #executorOf(person: PersonKey): ShardExecutor {
    return this.#executors[shardOf(person, this.#parts.shards)] as ShardExecutor;
  }

  #listener(): ShardListener {
    return {
      isWatched: (person) => this.#watched.has(person),
      changed: (people, tookMs) => {
        this.#reports.applied(tookMs);
        this.#publish(people);
      },
      decided: (event, user, decision) => {
        this.#reports.decided(decision.reason);
        this.#parts.onDecided?.(event, user, decision);
      },
      unusable: (record) => this.#reports.unusable(record),
      writeFailed: (error) => this.#reports.writeFailed(error),
      channelFailed: (_channel, error) => this.#reports.channelFailed(error),
      timerFailed: (_timer, error) => this.#reports.timerFailed(error),
    };
  }

  #publish(people: readonly Person[]): void {
    this.#pageHolders.changed(people.map(({ key }) => key));
    const { clock, content = builtInContent } = this.#parts;
    const nowMs = clock.now();
    for (const person of people) {
      this.#reports.rowsWritten(person.changedItems().length);
      if (!this.#watched.has(person.key)) continue;
      this.#reports.delivered(person, nowMs);
      const describe = content.describeIn(localeOf(person.wishes.policy.profile));
      for (const frame of changesFrames(person, nowMs, describe)) this.#frames.add(person.key, frame);
    }
    this.#flushFrames();
    noteApplied(this.#parts.progress);
    this.#parts.onApplied?.();
    if (this.#noteBacklog() > 0 || !this.#isReplaying) return;
    this.#isReplaying = false;
    this.#parts.onProblem({ event: 'shardCaughtUp', fields: {} });
  }

  #flushFrames(): void {
    if (!this.#frames.isEmpty) this.#parts.onFrames(this.#frames.take());
  }

  /** Answers the bytes of all lanes. */
  #noteBacklog(): number {
    let all = 0;
    for (const index of lanes.keys()) {
      const bytes = this.#executors.reduce((sum, each) => sum + each.behindBytes(index), 0);
      noteBacklog(this.#parts.progress, index, bytes);
      all += bytes;
    }
    return all;
  }
}

/** Creates the folders of an engine's data. */
export async function prepareFolders(dataDir: string): Promise<{ log: string; store: string }> {
  const folders = { log: join(dataDir, 'log'), store: join(dataDir, 'store') };
  await mkdir(folders.log, { recursive: true });
  await mkdir(folders.store, { recursive: true });
  return folders;
}
