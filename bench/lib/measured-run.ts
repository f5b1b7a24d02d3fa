/** One run of the driver with the server's CPU beside it, and what else the machine did meanwhile. */
import type { RunReport } from '../driver/driver.ts';
import type { Pace } from '../driver/sender.ts';
import type { DriverProcess } from './driver-process.ts';
import { type CpuPer, type CpuReading, cpuPer, machineBusySeconds } from './process-cpu.ts';

export interface MeasuredRun extends RunReport {
  readonly cpu: CpuPer;
  /** The driver's own cost, in microseconds per notification. */
  readonly driverUs: number;
  /** Cores used by neither server nor driver: above 0.1 the run is worth repeating. */
  readonly otherCores: number;
}

export async function measuredRun(
  driver: DriverProcess,
  readServerCpu: () => CpuReading,
  pace: Pace,
): Promise<MeasuredRun> {
  const before = readServerCpu();
  const busyBefore = machineBusySeconds();
  const run = await driver.run(pace);
  const after = readServerCpu();
  const busy = machineBusySeconds() - busyBefore;
  const work = run.delivered > 0 ? run.delivered : run.sent;
  const others = busy - (after.seconds - before.seconds) - run.driverCpuSeconds;
  return {
    ...run,
    cpu: cpuPer(before, after, work),
    driverUs: (run.driverCpuSeconds * 1e6) / Math.max(1, work),
    otherCores: Math.max(0, others / run.seconds),
  };
}

/** What was wrong with a run, in words; empty when every post was taken at once and every event arrived exactly once. */
export function faultsOf(run: RunReport, what: string): string[] {
  const refused = Object.entries(run.refused).map(([answer, times]) => `${times} × ${answer}`);
  const faults = [
    run.delivered < run.expected ? `${run.expected - run.delivered} of ${run.expected} did not arrive` : '',
    run.strays > 0 ? `${run.strays} rows came twice, went back or were not expected` : '',
    run.cut > 0 ? `${run.cut} sockets were cut (${run.lastClose})` : '',
    run.again > 0 ? `${run.again} times a post was refused for overload and sent again` : '',
    refused.length > 0 ? `refused posts: ${refused.slice(0, 3).join('; ')}` : '',
  ].filter((fault) => fault !== '');
  return faults.length === 0 ? [] : [`**${what}: ${faults.join('; ')}.**`];
}

export function otherLoadNote(runs: readonly MeasuredRun[]): string[] {
  const worst = Math.max(0, ...runs.map((run) => run.otherCores));
  return worst > 0.1 ? [`Other processes used up to ${worst.toFixed(2)} cores during these runs.`] : [];
}
