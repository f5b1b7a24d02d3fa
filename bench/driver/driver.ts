/** The load generator and all listening clients of one run; lives in its own process (`main.ts`), driven by messages. */
import type { LatencySummary } from '../lib/histogram.ts';
import { Bodies } from './bodies.ts';
import { makePlan, type Plan, type PlanOptions } from './plan.ts';
import { type Pace, type SendReport, sendAll, sleep } from './sender.ts';
import { SocketFarm } from './socket-farm.ts';
import { Tally } from './tally.ts';
import type { Target } from './target.ts';

export interface OpenOptions extends PlanOptions {
  readonly port: number;
  /** Where recipients listen, if another process has the streams. */
  readonly streamPort?: number;
  /** Events in one POST. */
  readonly batch: number;
  /** Whether every recipient listens. */
  readonly listen: boolean;
}

export interface OpenReport {
  readonly users: number;
  readonly sockets: number;
  readonly connectSeconds: number;
  readonly lapEvents: number;
  readonly bytesPerEvent: number;
}

export interface RunReport {
  readonly sent: number;
  /** Events that tell somebody something new, of those sent. */
  readonly expected: number;
  readonly delivered: number;
  /** Inbox rows these events open. */
  readonly rows: number;
  readonly strays: number;
  readonly cut: number;
  readonly lastClose: string;
  /** Times that a post was sent once more after CARILLON_OVERLOADED. */
  readonly again: number;
  readonly refused: Readonly<Record<string, number>>;
  /** From the first send to the last delivery. */
  readonly seconds: number;
  readonly sendSeconds: number;
  readonly deliveredPerSecond: number;
  readonly ackedPerSecond: number;
  readonly latency: LatencySummary;
  readonly acks: LatencySummary;
  readonly frames: number;
  readonly frameBytes: number;
  readonly driverCpuSeconds: number;
}

const silenceMs = 15_000;
const nowUs = (): number => performance.now() * 1000;

export class Driver {
  readonly #target: Target;
  readonly #options: OpenOptions;
  readonly #plan: Plan;
  readonly #bodies: Bodies;
  readonly #tally: Tally;
  readonly #farm: SocketFarm;
  #headers: Record<string, string> = {};

  private constructor(target: Target, options: OpenOptions, plan: Plan) {
    this.#target = target;
    this.#options = options;
    this.#plan = plan;
    this.#bodies = new Bodies(plan, target, options.batch);
    this.#tally = new Tally(plan, this.#bodies.postOf);
    this.#farm = new SocketFarm(target, this.#tally, nowUs);
  }

  static async open(target: Target, options: OpenOptions): Promise<{ driver: Driver; report: OpenReport }> {
    const driver = new Driver(target, options, await makePlan(options));
    return { driver, report: await driver.#connect() };
  }

  async #connect(): Promise<OpenReport> {
    const { port, streamPort = port, listen } = this.#options;
    this.#headers = await this.#target.postHeaders(port);
    const began = performance.now();
    if (listen) {
      const { users } = this.#plan;
      const each = this.#target.usersPerSocket(users.length);
      const sets = Array.from({ length: Math.ceil(users.length / each) }, (_, i) =>
        users.slice(i * each, (i + 1) * each),
      );
      await this.#farm.open(streamPort, await this.#target.openings(streamPort, sets));
    }
    return {
      users: this.#plan.users.length,
      sockets: this.#farm.size,
      connectSeconds: (performance.now() - began) / 1000,
      lapEvents: this.#plan.events.length,
      bytesPerEvent: this.#bodies.bytesPerEvent,
    };
  }

  async run(pace: Pace): Promise<RunReport> {
    const tally = this.#tally;
    tally.begin();
    const cpu = process.cpuUsage();
    const began = performance.now();
    const { port } = this.#options;
    const context = { port, target: this.#target, bodies: this.#bodies, nowUs, headers: this.#headers };
    const sent = await sendAll({ ...context, scheduledUs: tally.scheduledUs }, pace);
    const { counted, opensRow } = this.#plan;
    const expected = this.#target.tellsRepeats ? sent.events : sumOver(sent.ranges, counted);
    if (this.#options.listen) await this.#drain(expected, pace.silenceMs ?? silenceMs);
    const seconds = (performance.now() - began) / 1000;
    const used = process.cpuUsage(cpu);
    return {
      sent: sent.events,
      expected,
      delivered: tally.delivered,
      rows: sumOver(sent.ranges, opensRow),
      strays: tally.strays,
      cut: this.#farm.cut,
      lastClose: this.#farm.lastClose,
      again: sent.again,
      refused: sent.refused,
      seconds,
      sendSeconds: sent.seconds,
      deliveredPerSecond: tally.delivered / seconds,
      ackedPerSecond: sent.events / sent.seconds,
      latency: tally.latency.summary(),
      acks: sent.acks.summary(),
      frames: tally.frames,
      frameBytes: tally.frameBytes,
      driverCpuSeconds: (used.user + used.system) / 1e6,
    };
  }

  close(): void {
    this.#farm.close();
  }

  async #drain(expected: number, silenceMs: number): Promise<void> {
    let last = -1;
    let changedAt = performance.now();
    while (this.#tally.delivered < expected && performance.now() - changedAt < silenceMs) {
      if (this.#tally.delivered !== last) {
        last = this.#tally.delivered;
        changedAt = performance.now();
      }
      await sleep(2);
    }
  }
}

function sumOver(ranges: SendReport['ranges'], flags: Uint8Array): number {
  let sum = 0;
  for (const [, from, to] of ranges) for (let seq = from; seq < to; seq++) sum += flags[seq] ?? 0;
  return sum;
}
