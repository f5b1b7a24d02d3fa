/**
 * One shard while this process owns it: its executor, who hears of its changes, and marks that others have made.
 *
 *   starting ──positions and log are there──▶ working ──fails──▶ starting, after a pause
 *
 * A fault ends the executor and drops its memory; the next one reads on from the stored positions. So whatever was
 * wrong (a store or log that was away, a read that took too long) is healed by what also heals a crash, and other shards
 * go on meanwhile. Ready fails when it lasts.
 *
 * Streams: frames are hints. Whatever an owner before us, or the executor before this one, wrote and did not tell is told
 * by a gap, which has the gateways look into the inbox; once more after `lateWriteMs`, when no write of theirs can land.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import type { Clock } from '../base/clock.ts';
import { type PersonKey, splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { LiveContent } from '../content/live-content.ts';
import type { CapRules } from '../decide/caps.ts';
import type { Bus } from '../deliver/realtime/bus.ts';
import { changesFrames } from '../deliver/realtime/changes-frames.ts';
import { type LiveMessage, liveChannels, liveMessage, readLiveMessage } from '../deliver/realtime/live-messages.ts';
import type { LivePublisher, PersonFrame, Watched } from '../deliver/realtime/live-publisher.ts';
import type { AudienceWork } from '../embedded/audience-work.ts';
import type { Problem, ShardReports } from '../embedded/shard-reports.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { EventLog, Position } from '../log/event-log.ts';
import { consumptionCheck, type ReadinessCheck } from '../ops/readiness.ts';
import { localeOf } from '../profile/person-locales.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { eraseInbox } from '../shard/erase-inbox.ts';
import type { Person } from '../shard/person.ts';
import type { RelationReader } from '../shard/relation-reader.ts';
import { ShardExecutor } from '../shard/shard-executor.ts';
import type { ShardListener } from '../shard/shard-listener.ts';
import type { ShardMemory } from '../shard/shard-memory.ts';
import type { ShardOptions } from '../shard/shard-options.ts';
import { ShardNotHeld } from './fenced-store.ts';

export interface OwnedShardParts {
  readonly shard: number;
  readonly log: EventLog;
  /** Writes only while the shard is held. */
  readonly store: InboxStore;
  readonly profiles: ProfileStore;
  readonly relations: RelationReader;
  readonly outward: NonNullable<ShardOptions['outward']>;
  readonly capRules: CapRules;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly publisher: LivePublisher;
  readonly memory: ShardMemory;
  readonly content: LiveContent;
  readonly reports: ShardReports;
  readonly onProblem: (problem: Problem) => void;
  readonly audiences: Pick<AudienceWork, 'watch' | 'own' | 'merge'>;
  /** The positions are stored. */
  readonly onApplied: (shard: number, positions: readonly Position[]) => void;
}

export class OwnedShard {
  /** Whether it gets on. */
  readonly check: ReadinessCheck;
  readonly #parts: OwnedShardParts;
  readonly #cancels: (() => void)[];
  readonly #running: Promise<void>;
  #executor: ShardExecutor | null = null;
  #isStopping = false;
  #endPause: () => void = () => {};
  #cancelLateGap: () => void = () => {};
  /** Batches applied since the shard is ours. */
  #applied = 0;
  #isReplaying = false;
  #hasFailed = false;
  /** Who of the micro-batch just written is connected, and where. */
  #watched: Watched = new Map();
  /** People whose marks have changed and may be in memory. */
  readonly #remarked = new Set<PersonKey>();

  constructor(parts: OwnedShardParts) {
    this.#parts = parts;
    const { bus, clock, shard } = parts;
    this.check = consumptionCheck(() => this.#consumption(), clock);
    this.#cancels = [
      bus.subscribe(liveChannels.shard(shard), { message: this.#hear, missed: () => this.#forgetAll() }),
      // While hints do not arrive, marks in memory may be older than this.
      clock.every(limits.marksRefreshMs, () => bus.isConnected() || this.#forgetAll()),
    ];
    this.#running = this.#run();
  }

  /** The executor, if the shard is being worked at just now. */
  get executor(): ShardExecutor | null {
    return this.#executor;
  }

  /** Finishes the write under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancelLateGap();
    this.#endPause();
    await this.#executor?.stop().catch(() => {});
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const { shard, log, store, profiles, relations, outward, clock, memory, content, audiences } = this.#parts;
      const { capRules } = this.#parts;
      const listener = this.#listener();
      const known = { profiles, relations, outward, capRules, catalogue: content };
      const watch = audiences.watch();
      const executor = new ShardExecutor({ shard, log, store, ...known, clock, memory, listener, watch });
      const disown = audiences.own(shard);
      try {
        await this.#work(executor);
      } catch (error) {
        if (!this.#isStopping) this.#failed(error);
      }
      this.#executor = null;
      await executor.stop().catch(() => {});
      disown();
      if (!this.#isStopping) await this.#pause();
    }
  }

  /** Resolves when the executor was stopped. */
  async #work(executor: ShardExecutor): Promise<void> {
    const bytes = await executor.start();
    if (this.#isStopping) return;
    this.#executor = executor;
    this.#isReplaying = bytes > 0;
    if (bytes > 0) this.#tell('shardReplaying', { bytes });
    this.#tellGap();
    await executor.failed;
  }

  #listener(): ShardListener {
    const { reports, publisher } = this.#parts;
    return {
      written: async (people) => {
        this.#watched = await publisher.watched(people.map(({ key }) => key));
      },
      isWatched: (person) => this.#watched.has(person),
      changed: (people, tookMs) => {
        reports.applied(tookMs);
        this.#publish(people);
        this.#noteApplied();
      },
      decided: (_event, _user, { reason }) => reports.decided(reason),
      unusable: (record) => reports.unusable(record),
      // One that is no owner any more is about to be told so: nothing is wrong.
      writeFailed: (error) => error instanceof ShardNotHeld || reports.writeFailed(error),
      channelFailed: (_channel, error) => reports.channelFailed(error),
      timerFailed: (_timer, error) => reports.timerFailed(error),
    };
  }

  #publish(people: readonly Person[]): void {
    const { reports, publisher, clock, content } = this.#parts;
    const nowMs = clock.now();
    const frames: PersonFrame[] = [];
    for (const person of people) {
      reports.rowsWritten(person.changedItems().length);
      if (!this.#watched.has(person.key)) continue;
      reports.delivered(person, nowMs);
      const describe = content.describeIn(localeOf(person.wishes.policy.profile));
      for (const frame of changesFrames(person, nowMs, describe)) frames.push({ person: person.key, frame });
    }
    void publisher.publish(this.#watched, frames);
  }

  #noteApplied(): void {
    const { shard, onApplied } = this.#parts;
    this.#applied++;
    this.#hasFailed = false;
    const { behindBytes } = this.#consumption();
    onApplied(shard, this.#executor?.positions ?? []);
    if (behindBytes > 0 || !this.#isReplaying) return;
    this.#isReplaying = false;
    this.#tell('shardCaughtUp', {});
  }

  #tellGap(): void {
    const { publisher, shard, clock } = this.#parts;
    publisher.gap([shard]);
    this.#cancelLateGap();
    this.#cancelLateGap = clock.after(limits.lateWriteMs, () => publisher.gap([shard]));
  }

  #hear = (bytes: Uint8Array): void => {
    const message = readLiveMessage(bytes);
    if (message?.kind === 'merge') {
      this.#merge(message).catch((error: unknown) => this.#mergeFailed(error));
      return;
    }
    if (message?.kind === 'erase') {
      // Whoever asked looks whether it is done, and asks again.
      this.#erase(message.person).catch(() => {});
      return;
    }
    if (message?.kind !== 'marksChanged') {
      this.#forgetAll();
      return;
    }
    this.#remarked.add(message.person);
    if (this.#remarked.size === 1) this.#between((executor) => this.#refreshMarks(executor));
  };

  /** People open their inboxes, or look at them: what their large audiences have heard comes in. */
  async #erase(person: PersonKey): Promise<void> {
    const { store, clock } = this.#parts;
    if (this.#executor !== null) await eraseInbox({ executor: this.#executor, store, clock }, person);
  }

  async #merge({ people, asker }: LiveMessage & { kind: 'merge' }): Promise<void> {
    const { audiences, bus } = this.#parts;
    const executor = this.#executor;
    if (executor === null) return;
    for (const [tenant, some] of Map.groupBy(people, (person) => splitPersonKey(person).tenant)) {
      const through = await audiences.merge(tenant, some, (batches) => executor.take(batches));
      if (asker === null) continue;
      const channel = liveChannels.gateway(asker);
      await bus.publish(some.map((person) => liveMessage(channel, { kind: 'merged', person, through })));
    }
  }

  #mergeFailed(error: unknown): void {
    if (!this.#isStopping && this.#executor !== null)
      this.#parts.onProblem({ event: 'broadcastFailed', fields: {}, error });
  }

  async #refreshMarks(executor: ShardExecutor): Promise<void> {
    const people = [...this.#remarked];
    this.#remarked.clear();
    const refresh = async (key: PersonKey): Promise<void> => {
      const person = executor.cached(key);
      if (person === undefined) return;
      try {
        person.marks = await this.#parts.store.marks(key);
      } catch {
        executor.forget(key);
      }
    };
    await Promise.all(people.map(refresh));
  }

  /** Everybody is read from the store again: their marks may have changed without our knowing. */
  #forgetAll(): void {
    this.#between(async (executor) => executor.forget());
  }

  /** In vain while no executor works: the next one begins with an empty memory. */
  #between(work: (executor: ShardExecutor) => Promise<void>): void {
    const executor = this.#executor;
    if (executor === null) this.#remarked.clear();
    else executor.between(() => work(executor)).catch(() => this.#remarked.clear());
  }

  /** A shard that cannot work has something to do and gets nothing done. */
  #consumption(): { behindBytes: number; applied: number } {
    const executor = this.#executor;
    return { behindBytes: executor === null ? 1 : unappliedBytes(executor), applied: this.#applied };
  }

  /** Told of once, until a micro-batch has been applied. */
  #failed(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#parts.onProblem({ event: 'shardFailed', fields: { shard: this.#parts.shard }, error });
  }

  #tell(event: 'shardReplaying' | 'shardCaughtUp', fields: { bytes?: number }): void {
    this.#parts.onProblem({ event, fields: { shard: this.#parts.shard, ...fields } });
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(limits.shardRestartMs, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

function unappliedBytes(executor: ShardExecutor): number {
  return lanes.reduce((sum, _, lane) => sum + executor.behindBytes(lane), 0);
}
