/**
 * The worker of one channel at one shard: everything between what the shard handed over and what a provider answered.
 *
 *   log ──▶ not taken yet? ──▶ last look ──▶ ready ──▶ on record as dispatched ──▶ provider ──▶ on record
 *             (by telling)        │ hold, wait, retry: a timer ◀──────────────────────┘
 *
 * What a delivery becomes is in `delivery-steps.ts`, what is written when in `Ledger`, which calls may go in `Gates`. Here
 * is the order of things: what is dispatched is on record before its provider is called, and what this worker finds on
 * record as dispatched without having done it may have been sent by who died meanwhile: its answer is lost, and it is not
 * sent again (V4). A store that fails is waited for; nothing is skipped.
 *
 * Fresh jobs go before retries, lanes as their reader weighs them. While every provider is shut, jobs stay in the log.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Random } from '../base/random.ts';
import { nextRevision } from '../base/revision.ts';
import { type EventLog, type Position, startPosition } from '../log/event-log.ts';
import { LaneReader } from '../log/lane-reader.ts';
import type { DeadLetterStore } from './dead-letter-store.ts';
import type { Delivery, Job, OutwardName } from './delivery.ts';
import type { DeliveryListener } from './delivery-listener.ts';
import { isSettled } from './delivery-state.ts';
import { afterAttempt, putOff, stepped } from './delivery-steps.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { type Redrive, readHandedOver } from './dispatch-record.ts';
import type { Gates } from './gates.ts';
import { JobPlanner, type JobPlannerParts, type Task } from './job-planner.ts';
import type { JobRun, Pulled } from './job-run.ts';
import { JobsInHand } from './jobs-in-hand.ts';
import { Ledger } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import type { Dispatch } from './outward-channel.ts';
import { Persistence, Stopped } from './persistence.ts';
import { type Going, ReadyQueue } from './ready-queue.ts';
import { type RetryTimer, type RetryTimers, timedTelling } from './retry-timers.ts';

export interface DeliveryWorkerParts extends JobPlannerParts {
  readonly shard: number;
  readonly log: EventLog;
  readonly store: DeliveryStore;
  /** Of this channel alone. */
  readonly timers: RetryTimers;
  readonly deadLetters: DeadLetterStore;
  readonly gates: Gates;
  readonly random: Random;
  readonly clock: Clock;
  readonly listener: DeliveryListener;
  /** The shard is this process's by its own clock; absent: always. */
  readonly isHeld?: () => boolean;
}

export class DeliveryWorker {
  readonly #parts: DeliveryWorkerParts;
  readonly #channel: OutwardName;
  readonly #planner: JobPlanner;
  readonly #ledger: Ledger;
  readonly #ready: ReadyQueue;
  readonly #inHand: JobsInHand;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stops: (() => void)[] = [];
  readonly #persistence: Persistence;
  #reader: LaneReader | null = null;
  #nextRetryMs = Number.POSITIVE_INFINITY;
  #turn = 0;
  #signals = 0;
  #wake = (): void => {};
  #cancelWait = (): void => {};
  #isAsleep = false;
  #isStopping = false;
  #running: Promise<void> | null = null;

  constructor(parts: DeliveryWorkerParts) {
    this.#parts = parts;
    const { shard, store, timers, deadLetters, gates, clock, outlet, listener } = parts;
    this.#channel = outlet.channel;
    this.#persistence = new Persistence(clock, limits.storeRetryMs, (error) => this.#failed(error));
    this.#planner = new JobPlanner(parts);
    this.#ledger = new Ledger({ channel: outlet.channel, shard, store, timers, deadLetters, clock, listener });
    this.#ready = new ReadyQueue(gates, clock);
    this.#inHand = new JobsInHand(outlet.channel, (run) => this.#ledger.changed(run));
  }

  /** Reads on from the stored positions. */
  async start(): Promise<void> {
    const { shard, log, store, timers, gates } = this.#parts;
    await timers.open(shard);
    const positions = (await store.positions(this.#channel, shard)) ?? lanes.map(() => startPosition);
    this.#reader = await LaneReader.open(log, shard, positions);
    this.#stops.push(
      log.onAppend(shard, () => this.#signal()),
      gates.onEnded(() => this.#signal()),
    );
    await this.#takeOver();
    await this.#lookForRetries();
    this.#running = this.#run();
  }

  /** Rejects when the worker fails beyond repair. */
  get failed(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /**
   * Takes no more jobs, waits a while for what providers are to answer, and puts it on record. The rest is in the log and
   * among the timers.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#persistence.stop();
    for (const stop of this.#stops) stop();
    this.#signal();
    await this.#running?.catch(() => {});
    await this.#answersOf([...this.#underWay]);
    this.#giveBack();
    if (this.#ledger.hasChanges) await this.#ledger.write().catch((error: unknown) => this.#failed(error));
    this.#parts.look.close();
    this.#reader?.close();
  }

  /** Bytes of a lane, by index, that were handed over and are not in hand yet. */
  behindBytes(lane: number): number {
    return this.#reader?.unappliedBytes(lane) ?? 0;
  }

  /** The log before them is done with, by lane; null: nothing is yet. */
  get positions(): readonly Position[] | null {
    return this.#ledger.positions;
  }

  /** Nothing can be done just now: what is left waits for a time, or for an answer. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  /** Ends without a fault when it is stopped, whatever it waits for. */
  async #run(): Promise<void> {
    try {
      while (!this.#isStopping) await this.#step();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
  }

  async #step(): Promise<void> {
    const heard = this.#signals;
    this.#turn++;
    if (await this.#sendReady()) return;
    // So that retries come at last where fresh work never ends.
    if (this.#turn % retryTurns === 0 && (await this.#takeRetries())) return;
    if ((await this.#takeJobs()) || (await this.#takeRetries())) return;
    if (this.#signals === heard && !this.#isStopping) await this.#sleep();
  }

  #signal(): void {
    this.#signals++;
    this.#wake();
  }

  async #sleep(): Promise<void> {
    this.#isAsleep = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#isAsleep = false;
  }

  /** Wakes by then; sooner where that is long, since the wall clock may step. */
  #wakeAt(atMs: number): void {
    const { clock } = this.#parts;
    this.#cancelWait();
    if (atMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.min(Math.max(0, atMs - clock.now()), limits.timerLookMs);
    this.#cancelWait = clock.after(waitMs, () => this.#signal());
  }

  /** Dispatches what may go, and writes what has changed. False: there was nothing of either. */
  async #sendReady(): Promise<boolean> {
    const { going, stale, waitUntilMs, heldBack } = this.#ready.take();
    if (heldBack > 0) this.#parts.listener.overQuota(this.#channel, heldBack);
    const before = going.map(({ run, endpoint }) => run.delivery(endpoint.id));
    for (const { run, endpoint, route } of going) {
      this.#inHand.put(run, stepped(run.delivery(endpoint.id), 'dispatch', { provider: route.provider }));
    }
    const hasWork = going.length + stale.length > 0 || this.#ledger.hasChanges;
    if (going.length > 0 || this.#ledger.hasChanges) {
      try {
        await this.#write();
      } catch (error) {
        // Not called, so not to be put on record as if it were.
        for (const [at, { run, route }] of going.entries()) {
          run.put(before[at] as Delivery);
          this.#parts.gates.ended(route, null);
        }
        throw error;
      }
      for (const each of going) this.#call(each);
    }
    if (stale.length > 0) await this.#plan(stale.map(({ run, endpoint }) => ({ run, endpoints: [endpoint.id] })));
    this.#wakeAt(Math.min(this.#nextRetryMs, waitUntilMs ?? Number.POSITIVE_INFINITY));
    return hasWork;
  }

  async #write(): Promise<void> {
    const ended = await this.#insist(() => this.#ledger.write());
    this.#nextRetryMs = Math.min(this.#nextRetryMs, this.#ledger.nextDueMs);
    for (const run of ended) this.#inHand.letGo(run);
  }

  #call(going: Going): void {
    const { gates, isHeld } = this.#parts;
    if (isHeld?.() === false) {
      gates.ended(going.route, null);
      return;
    }
    const call: Promise<void> = this.#attempt(going).finally(() => {
      this.#underWay.delete(call);
      this.#signal();
    });
    this.#underWay.add(call);
  }

  async #attempt({ run, endpoint, route }: Going): Promise<void> {
    const { clock, gates, random, listener, outlet } = this.#parts;
    const beganMs = clock.monotonic();
    const outcome = await route.send().catch((error: unknown): Outcome => {
      listener.unplannable(this.#channel, error);
      return { kind: 'unknown', code: 'threw' };
    });
    gates.ended(route, outcome);
    const tookMs = Math.round(clock.monotonic() - beganMs);
    const { provider } = route;
    listener.attempted({ provider, outcome: outcome.kind, tookMs });
    const met = {
      provider,
      tookMs,
      atMs: clock.now(),
      expiresAtMs: run.job.expiresAtMs,
      chance: random.below(1000) / 1000,
    };
    this.#inHand.put(run, afterAttempt(run.delivery(endpoint.id), outcome, met));
    await outlet.ended(endpoint, outcome, provider).catch((error: unknown) => this.#failed(error));
  }

  /** The next jobs of the log. False: there are none, or no room for them. */
  async #takeJobs(): Promise<boolean> {
    if (this.#ready.size >= limits.deliveriesReadyMax && !this.#makeRoom()) return false;
    const { gates, shard, listener } = this.#parts;
    if (gates.isShut) return false;
    const batch = await this.#insist(() => (this.#reader as LaneReader).pull(limits.deliveryPullBytesMax));
    if (batch === null) return false;
    const unusable = (bytes: Uint8Array): void => listener.unusable({ channel: this.#channel, shard, bytes });
    const read = batch.batches.map(({ bytes }) => readHandedOver(bytes, unusable));
    const dispatches = read.flatMap((each) => each.dispatches);
    const pulled: Pulled = { left: 0, positions: batch.positions };
    const tasks = await this.#tasksOf(
      dispatches,
      read.flatMap((each) => each.redrives),
      pulled,
    );
    this.#ledger.pulled(pulled);
    this.#reader?.applied();
    await this.#plan(tasks);
    return true;
  }

  async #tasksOf(dispatches: readonly Dispatch[], redrives: readonly Redrive[], pulled: Pulled): Promise<Task[]> {
    const channel = this.#channel;
    const told = dispatches.flatMap(({ person, tells }) => tells.map((telling) => ({ ...telling, person, channel })));
    const again = redrives.map(({ person, telling }) => ({ ...telling, person, channel }));
    const known = await this.#insist(() => this.#parts.store.find([...told, ...again]));
    const fresh = this.#inHand.notTaken(dispatches, known.slice(0, told.length), pulled);
    return [...fresh, ...this.#inHand.sentAgain(redrives, known.slice(told.length), pulled)];
  }

  /** Room for what can go elsewhere, where what fills it waits for a provider's pause. */
  #makeRoom(): boolean {
    if (this.#parts.gates.isShut) return false;
    const waiting = this.#ready.takeWaiting();
    for (const { ready, untilMs } of waiting) {
      const { run, endpoint } = ready;
      this.#inHand.put(run, putOff(run.delivery(endpoint.id), 'wait', untilMs, run.job.expiresAtMs));
    }
    return waiting.length > 0;
  }

  /** What is due to be looked at again. False: nothing is, or there is no room for it. */
  async #takeRetries(): Promise<boolean> {
    const { timers, shard, clock, store } = this.#parts;
    if (this.#nextRetryMs > clock.now() || this.#ready.size >= limits.deliveriesReadyMax) return false;
    const due = await this.#insist(() => timers.due(shard, clock.now(), limits.deliveryRetriesPerTurn));
    const channel = this.#channel;
    const keys = due.map(({ data, person }) => ({ ...timedTelling(data), person, channel }));
    const jobs = await this.#insist(() => store.find(keys));
    const tasks = new Map<JobRun, string[]>();
    const set: (RetryTimer & { kind: 'retry' })[] = [];
    for (const [at, timer] of due.entries()) {
      const run = this.#inHand.retryOf(timer, jobs[at] ?? null);
      if (run === null) continue;
      // It comes again should this worker die with it in hand.
      const dueMs = clock.now() + limits.deliveryInHandMs;
      const again = { ...timer, dueMs, revision: nextRevision(timer.revision, clock.now()), kind: 'retry' as const };
      set.push(again);
      run.done.push(again);
      const { endpoint } = timedTelling(timer.data);
      if (run.active.has(endpoint) || isSettled(run.delivery(endpoint).state)) continue;
      run.active.add(endpoint);
      this.#inHand.hold(run);
      tasks.set(run, [...(tasks.get(run) ?? []), endpoint]);
    }
    if (due.length > 0) await this.#insist(() => timers.write(shard, { set, done: due }));
    await this.#lookForRetries();
    await this.#plan([...tasks].map(([run, endpoints]) => ({ run, endpoints })));
    return due.length > 0;
  }

  /** Retries that a worker before this one had in hand when it died are due at once, not when they would be given up. */
  async #takeOver(): Promise<void> {
    const { timers, shard, clock, store } = this.#parts;
    const channel = this.#channel;
    const nowMs = clock.now();
    const untilMs = nowMs + limits.deliveryInHandMs;
    const soon = await this.#insist(() => timers.due(shard, untilMs, limits.deliveriesTakenOverMax));
    const later = soon.filter(({ dueMs }) => dueMs > nowMs);
    const keys = later.map(({ data, person }) => ({ ...timedTelling(data), person, channel }));
    const jobs = await this.#insist(() => store.find(keys));
    const done = later.filter(({ data }, at) => isLeft(jobs[at] ?? null, timedTelling(data).endpoint, nowMs));
    const set = done.map((timer) => ({
      ...{ ...timer, dueMs: nowMs, revision: nextRevision(timer.revision, nowMs) },
      kind: 'retry' as const,
    }));
    if (done.length > 0) await this.#insist(() => timers.write(shard, { set, done }));
  }

  /** Retries that were taken up and not sent are due at once for whoever comes next. */
  #giveBack(): void {
    const dueAtMs = this.#parts.clock.now();
    for (const run of new Set(this.#inHand.all)) {
      if (run.done.length === 0) continue;
      for (const endpoint of [...run.active]) {
        const delivery = run.delivery(endpoint);
        if (delivery.state === 'pending') this.#inHand.put(run, stepped(delivery, 'wait', { dueAtMs }));
      }
    }
  }

  async #lookForRetries(): Promise<void> {
    const { timers, shard } = this.#parts;
    this.#nextRetryMs = (await this.#insist(() => timers.nextDueMs(shard))) ?? Number.POSITIVE_INFINITY;
  }

  async #plan(tasks: readonly Task[]): Promise<void> {
    if (tasks.length === 0) return;
    this.#ready.add(await this.#insist(() => this.#planner.plan(tasks)));
    for (const { run } of tasks) {
      if (run.changed.size > 0) this.#ledger.changed(run);
    }
  }

  async #answersOf(calls: readonly Promise<void>[]): Promise<void> {
    if (calls.length === 0) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(limits.deliveryStopMs, resolve);
    await Promise.race([Promise.all(calls), late]);
    cancel();
  }

  #insist<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#persistence.until(work);
  }

  #failed(error: unknown): void {
    this.#parts.listener.failed(this.#channel, error);
  }
}

/** Somebody had it in hand: it was sent, or its own time has come before its timer's. */
function isLeft(job: Job | null, endpoint: string, nowMs: number): boolean {
  const delivery = job?.deliveries.find((each) => each.endpoint === endpoint);
  if (delivery?.state === 'pending') return (delivery.dueAtMs ?? 0) <= nowMs;
  return delivery?.state === 'dispatched';
}

/** One turn of so many is for retries, also while fresh work waits. */
const retryTurns = 8;
