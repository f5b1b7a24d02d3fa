/** P4: what an idle connection costs, and messages to distinct sockets. */
import { sleep } from './driver/sender.ts';
import { DriverProcess } from './lib/driver-process.ts';
import { duration, loadPlan, postsInFlight, socketsFull } from './lib/load-plan.ts';
import { faultsOf, measuredRun, otherLoadNote } from './lib/measured-run.ts';
import { frameRate, socketServer } from './lib/probe-rates.ts';
import type { Bench, BenchContext } from './lib/result.ts';
import { type ServerOptions, ServerProcess } from './lib/server-process.ts';

const busyRate = 20_000;
const warmSockets = 300;
const settleMs = 3000;

export const sockets: Bench = {
  name: 'sockets',
  title: 'Sockets: idle and busy',
  how: `Idle: growth of the server's resident memory by up to ${socketsFull} authenticated WebSockets, one per person, divided by their number; the first ${warmSockets}
warm the code up and are not counted, and garbage of the handshakes is not collected first. Limit: as many upgraded bare sockets. Busy: an open loop of ${busyRate} events per
second, every recipient equally likely; latency from the post's scheduled time. Limit: bare \`net.Socket.write\` of frames as large to as many sockets.`,
  async run(context) {
    const plan = { ...loadPlan(context, 'uniform'), lines: context.quick ? 20_000 : 150_000 };
    const bare = await idleBytes(context, socketServer, 'raw');
    const server = await ServerProcess.start(context.server);
    try {
      const idle = await connectIdle(context, server, 'carillon');
      context.say(`idle: ${(idle.bytesEach / 1024).toFixed(1)} KB each, bare ${(bare / 1024).toFixed(1)} KB`);
      const { driver } = idle;
      const cpu = (): ReturnType<typeof server.cpu> => server.cpu();
      await driver.run({ perSecond: null, durationMs: duration(context, 5000, 1500), connections: postsInFlight });
      const pace = { perSecond: busyRate, durationMs: duration(context, 30_000, 2500), connections: 32 };
      const busy = await measuredRun(driver, cpu, pace);
      await driver.close();
      const limit = await frameRate(plan, busy.frameBytes / Math.max(1, busy.frames), duration(context, 4000, 1000));
      return {
        figures: [
          {
            label: `${driver.opened.sockets} idle sockets`,
            unit: 'KB each',
            values: [idle.bytesEach / 1024],
            goal: { atMost: 15 },
            limit: { label: 'bare upgraded sockets', values: [bare / 1024] },
            note: `${idle.cpuPercent.toFixed(1)} % of a core for all of them`,
          },
          {
            label: `p99 at ${busyRate} messages/s to distinct sockets`,
            unit: 'ms',
            values: [busy.latency.p99Ms],
            goal: { atMost: 200 },
            cpu: busy.cpu,
            note: `delivered ${Math.round(busy.deliveredPerSecond)}/s, p50 ${busy.latency.p50Ms} ms; bare write: ${Math.round(limit)} frames/s`,
          },
        ],
        notes: [...faultsOf(busy, 'busy sockets'), ...otherLoadNote([busy])],
      };
    } finally {
      await server.stop();
    }
  },
};

async function idleBytes(context: BenchContext, options: ServerOptions, target: 'raw'): Promise<number> {
  const server = await ServerProcess.start(options);
  try {
    const idle = await connectIdle(context, server, target);
    await idle.driver.close();
    return idle.bytesEach;
  } finally {
    await server.stop();
  }
}

async function connectIdle(
  context: BenchContext,
  server: ServerProcess,
  target: 'raw' | 'carillon',
): Promise<{ driver: DriverProcess; bytesEach: number; cpuPercent: number }> {
  const plan = { ...loadPlan(context, 'uniform'), port: server.port };
  const warm = await DriverProcess.open(target, { ...plan, recipientsMax: warmSockets });
  await sleep(duration(context, settleMs, 1000));
  await warm.close();
  await sleep(500);
  const before = server.residentBytes();
  const driver = await DriverProcess.open(target, plan);
  await sleep(duration(context, settleMs, 1000));
  const bytesEach = (server.residentBytes() - before) / driver.opened.sockets;
  const cpu = server.cpu().seconds;
  const ms = duration(context, 30_000, 1500);
  await sleep(ms);
  return { driver, bytesEach, cpuPercent: ((server.cpu().seconds - cpu) * 100_000) / ms };
}
