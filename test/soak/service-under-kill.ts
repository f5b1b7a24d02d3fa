/** The service as a process that is killed at random moments of the work its providers do, and started again each time. */
import { systemClock } from '../../server/src/base/clock.ts';
import type { Random } from '../../server/src/base/random.ts';
import { type CrashingServer, pause } from '../crash/crashing-server.ts';

/** Answers may have been lost in it. */
export interface Outage {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface KillPlan {
  readonly kills: number;
  /** Share of the work by which the last has been made. */
  readonly share: number;
  /** However slowly the work goes, so long after one comes the next. */
  readonly everyMsMax: number;
}

export class ServiceUnderKill {
  readonly server: CrashingServer;
  readonly outages: Outage[] = [];
  slowestStartMs = 0;

  constructor(server: CrashingServer) {
    this.server = server;
  }

  /** `done`: share of the work that providers have settled. */
  async killAgainAndAgain(plan: KillPlan, random: Random, done: () => number): Promise<void> {
    for (let kill = 0; kill < plan.kills; kill++) {
      const began = systemClock.monotonic();
      const isLate = (): boolean => systemClock.monotonic() - began > plan.everyMsMax;
      const at = (plan.share * (kill + random.below(1000) / 1000)) / plan.kills;
      while (done() < at && !isLate()) await pause(5);
      await pause(random.below(200));
      await this.killOnce();
    }
  }

  async killOnce(): Promise<void> {
    const fromMs = systemClock.now();
    await this.server.kill();
    this.slowestStartMs = Math.max(this.slowestStartMs, await this.server.start());
    this.outages.push({ fromMs, untilMs: systemClock.now() });
  }
}
