/**
 * The shard executor: the only writer of its shard's people (DESIGN: "one owner per shard").
 *
 *   waiting ──records──▶ loading ──▶ deciding ──▶ writing ──▶ publishing ──▶ waiting
 *
 * Each micro-batch is decided in memory and then written as one, positions included; what is published has been
 * written. Work from outside (marks, new streams) runs between micro-batches, so that it meets whole states only.
 * After a crash anywhere, the next owner reads on from the stored positions and ends in the same state.
 * A failed write is repeated, never skipped: memory is ahead of the store until it succeeds (N3).
 */
import { lanes } from '@carillon/contract/lanes.ts';
import { type PersonKey, personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { zoneData } from '../base/zone-data.ts';
import { decide } from '../decide/decide.ts';
import { rememberedFrom } from '../decide/needs.ts';
import type { Position } from '../log/event-log.ts';
import { startPosition } from '../log/event-log.ts';
import { type LaneBatches, LaneReader } from '../log/lane-reader.ts';
import { type PackedBatch, RecordView } from '../log/record.ts';
import { applyDecision } from './apply-decision.ts';
import { DueWork } from './due-work.ts';
import { Outbox } from './outbox.ts';
import { PeopleCache } from './people-cache.ts';
import { persistentTimers } from './persistent-timers.ts';
import type { Person } from './person.ts';
import { isReady, preparePerson } from './prepare-person.ts';
import { RecordFacts } from './record-facts.ts';
import type { UnusableReason } from './shard-listener.ts';
import type { ShardOptions } from './shard-options.ts';
import { ShardTimers } from './shard-timers.ts';
import type { Timer, TimerStore } from './timer-store.ts';
import { WishesLoader } from './wishes-loader.ts';
import { ZoneRevision } from './zone-revision.ts';

/** What one micro-batch is made of: positions stay as they are where its records are not of the log. */
interface Applied {
  readonly batches: readonly PackedBatch[];
  readonly positions: LaneBatches['positions'];
}

interface Between {
  run(): Promise<void>;
  refuse(): void;
}

export class ShardExecutor {
  readonly #options: ShardOptions;
  readonly #people: PeopleCache;
  readonly #view = new RecordView();
  readonly #facts: RecordFacts;
  readonly #between: Between[] = [];
  readonly #wishes: WishesLoader;
  readonly #timers: ShardTimers | null;
  readonly #zones: ZoneRevision | null;
  #outbox = new Outbox();
  #lanes: LaneReader | null = null;
  #positions: readonly Position[] = [];
  #wake: (() => void) | null = null;
  #signals = 0;
  #isStopping = false;
  #running: Promise<void> | null = null;
  #stopListening = (): void => {};
  #batchesToEviction = 0;

  constructor(options: ShardOptions) {
    this.#options = options;
    this.#people = new PeopleCache(options.store, options.memory);
    this.#facts = new RecordFacts(options.catalogue);
    this.#wishes = new WishesLoader(options);
    const { shard, clock, outward, zoneData: zones = zoneData } = options;
    const store = outward === undefined ? null : persistentTimers(outward.timers, (work) => this.#repeat(work));
    this.#timers = store === null ? null : this.#timersOf(store);
    const timers = this.#timers;
    this.#zones = store && timers && new ZoneRevision({ shard, timers, store, clock, zoneData: zones });
  }

  /** Reads on from the stored positions. Answers the bytes that wait behind them. */
  async start(): Promise<number> {
    const { shard, log, store } = this.#options;
    await this.#timers?.open();
    await this.#zones?.open();
    this.#positions = (await store.positions(shard)) ?? lanes.map(() => startPosition);
    this.#lanes = await LaneReader.open(log, shard, this.#positions);
    this.#stopListening = log.onAppend(shard, () => this.#wakeUp());
    const waiting = lanes.reduce((sum, _, lane) => sum + this.behindBytes(lane), 0);
    this.#running = this.#run();
    return waiting;
  }

  /** Finishes the micro-batch at hand and stops. Rejects if the executor has failed before. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopListening();
    this.#wakeUp();
    try {
      await this.#running;
    } finally {
      for (const { refuse } of this.#between.splice(0)) refuse();
      this.#timers?.close();
      this.#wishes.close();
      this.#lanes?.close();
    }
  }

  /** Rejects when the executor fails beyond repair, for whoever must stop the process. */
  get failed(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Runs `work` between two micro-batches, when memory and store agree. Rejects if the executor stops before its turn. */
  between<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(new Error('the shard is not worked at here any more'));
      if (this.#isStopping) refuse();
      else this.#between.push({ run: () => work().then(resolve, reject), refuse });
      this.#wakeUp();
    });
  }

  /**
   * Applies records that are not in the log, between two micro-batches. Resolves when what follows from them is written;
   * a failure ends the executor, as one of records of the log does.
   */
  take(batches: readonly PackedBatch[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(new Error('the shard is not worked at here any more'));
      const run = async (): Promise<void> => {
        try {
          await this.#apply({ batches, positions: this.#positions });
        } catch (error) {
          reject(error);
          throw error;
        }
        resolve();
      };
      if (this.#isStopping) refuse();
      else this.#between.push({ run, refuse });
      this.#wakeUp();
    });
  }

  /** The person if in memory. Only to be used inside `between` or a listener. */
  cached(key: PersonKey): Person | undefined {
    return this.#people.get(key);
  }

  /** Makes the next event of this person, or of everybody, read the store again. Only inside `between`. */
  forget(key?: PersonKey): void {
    this.#people.forget(key);
  }

  /** Nothing is looked at for this person any more. In steps between micro-batches. */
  async dropTimersOf(person: PersonKey): Promise<void> {
    let last: Timer | null = null;
    do last = await this.between(async () => (await this.#timers?.dropOf(person, last)) ?? null);
    while (last !== null);
  }

  /** Bytes durable in the log and not yet applied, of a lane by index. */
  behindBytes(lane: number): number {
    return this.#lanes?.unappliedBytes(lane) ?? 0;
  }

  /** Positions that are stored, by lane: the log before them is applied. */
  get positions(): readonly Position[] {
    return this.#positions;
  }

  /** Nothing of this shard in the log before this waits to be applied; infinite when nothing waits at all. */
  get appliedPosition(): Position {
    if (this.#lanes === null) return startPosition;
    // A lane that is quiet stays where it was while the others go on: it must not keep the log from being trimmed.
    const waiting = this.#positions.filter((_, lane) => this.behindBytes(lane) > 0);
    return Math.min(...waiting);
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const heard = this.#signals;
      // Only what waits now: work that asks for more work must not keep events waiting.
      for (const { run } of this.#between.splice(0)) await run();
      // A bounded number, so that events never wait long.
      await this.#timers?.turn();
      if (this.#zones?.isDone === false) await this.#zones.step();
      const next = await (this.#lanes as LaneReader).pull(limits.microBatchBytesMax);
      if (next !== null) await this.#apply(next);
      // Whatever came while it looked must not be slept over.
      else if (this.#signals === heard && !this.#isStopping && !this.#hasMore) await this.#sleep();
    }
  }

  get #hasMore(): boolean {
    return this.#timers?.isDue === true || this.#zones?.isDone === false;
  }

  /** Until something comes, or is due. */
  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    this.#signals++;
    this.#wake?.();
    this.#wake = null;
  }

  async #apply({ batches, positions }: Applied): Promise<void> {
    const began = this.#options.clock.monotonic();
    this.#outbox = new Outbox();
    /** Whoever has changed, or has had rows fetched. */
    const touched = new Set<Person>();
    for (const batch of batches) {
      const bytes = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength);
      const recipients = await this.#load(this.#recipientsIn(bytes));
      await this.#decideAll(bytes, recipients, touched);
    }
    if (this.#outbox.timers.length > 0) await this.#timers?.set({ set: this.#outbox.timers });
    await this.#commit(touched, positions, began);
    this.#evict();
  }

  /** Writes what has changed, then tells of it. */
  async #commit(touched: ReadonlySet<Person>, positions: readonly Position[], began: number): Promise<void> {
    const { listener, clock } = this.#options;
    const people = [...touched].filter((person) => person.isDirty);
    const unsure = people.filter((person) => !person.noteDepth());
    if (unsure.length > 0) await Promise.all(unsure.map((person) => this.#people.noteSurface(person)));
    await this.#repeat(async () => this.#options.watch?.settle());
    await this.#write(people, positions);
    if (positions !== this.#positions) this.#lanes?.applied();
    this.#positions = positions;
    await listener.written?.(people);
    // Only now: what lies beyond memory is counted in the store, which must hold what memory holds.
    const nowMs = clock.now();
    const changed = people.filter((person) => person.changedItems().length > 0);
    for (const person of changed) {
      if (listener.isWatched(person.key)) await this.#people.loadForCounts(person, nowMs);
    }
    listener.changed(changed, clock.monotonic() - began);
    for (const person of touched) person.written();
  }

  #timersOf(store: TimerStore): ShardTimers {
    const { shard, clock } = this.#options;
    return new ShardTimers({ shard, store, clock, run: (due) => this.#runDue(due), wake: () => this.#wakeUp() });
  }

  /**
   * Answers those that could not be run. New timers come first, then dispatches, then rows: a crash in between repeats the
   * same, under the same ids.
   */
  async #runDue(due: readonly Timer[]): Promise<readonly Timer[]> {
    const { outward, clock, catalogue, listener } = this.#options;
    const began = clock.monotonic();
    const people = await this.#load(due.map(({ person }) => person));
    // The clock may have stepped back since they were due.
    const nowMs = Math.max(clock.now(), ...due.map(({ dueMs }) => dueMs));
    // Whatever may have changed last is known then, as for an event: revisions only rise.
    for (const person of people) await this.#people.loadBackTo(person, rememberedFrom(nowMs));
    const work = new DueWork(this.#people, catalogue, nowMs);
    const failed: Timer[] = [];
    for (const [index, timer] of due.entries()) {
      if (!(await this.#runTimer(work, people[index] as Person, timer))) failed.push(timer);
    }
    if (work.timers.length > 0) await this.#timers?.set({ set: work.timers });
    for (const channel of outward?.channels ?? []) {
      const own = work.dispatches.filter(({ channel: name }) => name === channel.name).map(({ dispatch }) => dispatch);
      const refused = (error: unknown): void => listener.channelFailed(channel.name, error);
      if (own.length > 0) await this.#repeat(() => channel.take(own), refused);
    }
    await this.#commit(new Set(people), this.#positions, began);
    return failed;
  }

  /** One that makes no sense must not stop the others. */
  async #runTimer(work: DueWork, person: Person, timer: Timer): Promise<boolean> {
    try {
      await work.run(person, timer);
      return true;
    } catch (error) {
      this.#options.listener.timerFailed(timer, error);
      return false;
    }
  }

  /** The people of these keys, in their order, with what they want. */
  async #load(keys: readonly PersonKey[]): Promise<readonly Person[]> {
    const people = await this.#people.load(keys);
    await this.#wishes.load(people, keys);
    return people;
  }

  /** One for each recipient of each record, in order. */
  #recipientsIn(bytes: Buffer): PersonKey[] {
    const keys: PersonKey[] = [];
    for (let at = 0; at < bytes.length; ) {
      at = this.#view.move(bytes, at);
      const { tenant } = this.#view;
      for (const user of this.#view.recipients()) keys.push(personKey(tenant, user));
    }
    return keys;
  }

  /** `recipients`: as `#recipientsIn` names them. */
  async #decideAll(bytes: Buffer, recipients: readonly Person[], touched: Set<Person>): Promise<void> {
    const nowMs = this.#options.clock.now();
    let next = 0;
    for (let at = 0; at < bytes.length; ) {
      const start = at;
      at = this.#view.move(bytes, at);
      const end = next + this.#view.recipientCount;
      let fault = this.#readRecord();
      if (fault !== null) next = end;
      else this.#options.watch?.saw(this.#view, this.#facts.type.name);
      while (next < end) {
        const person = recipients[next++] as Person;
        if (!isReady(person, this.#facts)) {
          touched.add(person);
          await preparePerson(person, this.#facts, { people: this.#people, relations: this.#options.relations });
        }
        if (!this.#decideOne(person, nowMs)) fault = 'failed';
        if (person.isDirty) touched.add(person);
      }
      if (fault !== null) this.#passOver(bytes, { start, end: at }, fault);
    }
  }

  /** Null when the record under the view can be used. One that cannot must not stop its lane [BC-10]. */
  #readRecord(): UnusableReason | null {
    try {
      if (!this.#facts.read(this.#view)) return 'unknownType';
      void this.#facts.needs;
      return null;
    } catch {
      return 'unreadable';
    }
  }

  /** Whether it could be decided. What cannot be read throws before anything is changed. */
  #decideOne(person: Person, nowMs: number): boolean {
    try {
      const decision = decide(this.#facts, person);
      // Of one change, what it needs is read first; of several, the first would be made by then.
      if (decision.changes.length > 1) this.#facts.readAll();
      applyDecision(person, this.#facts, decision, { nowMs, outbox: this.#outbox });
      if (decision.changes.length === 0) person.besides.noteDropped(this.#facts, decision.reason);
      this.#options.listener.decided(this.#facts, person.user, decision);
      return true;
    } catch {
      return false;
    }
  }

  #passOver(batch: Uint8Array, { start, end }: { start: number; end: number }, reason: UnusableReason): void {
    const { shard, listener } = this.#options;
    const { lane } = this.#view;
    const position = this.#positions[lanes.indexOf(lane)] as Position;
    listener.unusable({ shard, lane, position, offset: start, bytes: batch.subarray(start, end), reason });
  }

  async #write(people: readonly Person[], positions: readonly Position[]): Promise<void> {
    const { store, shard } = this.#options;
    const writes = people.map((person) => person.toWrite());
    await this.#repeat(() => store.write(shard, writes, positions));
  }

  /** Until it succeeds or the executor is stopped: memory is ahead of the store meanwhile, so nothing may be left out. */
  async #repeat<Result>(
    work: () => Promise<Result>,
    failed = (error: unknown): void => this.#options.listener.writeFailed(error),
  ): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (this.#isStopping) throw error;
        failed(error);
        await new Promise<void>((resolve) => this.#options.clock.after(limits.storeRetryMs, resolve));
      }
    }
  }

  #evict(): void {
    this.#batchesToEviction--;
    if (this.#batchesToEviction > 0) return;
    this.#batchesToEviction = this.#options.memory.evictEveryBatches;
    this.#people.evict();
  }
}
