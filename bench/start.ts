/** P3: how soon it is ready, and what it costs when nothing happens. */

import { sleep } from './driver/sender.ts';
import { duration } from './lib/load-plan.ts';
import { drainServer } from './lib/probe-rates.ts';
import { readCpu } from './lib/process-cpu.ts';
import type { Bench, BenchContext } from './lib/result.ts';
import { type ServerOptions, ServerProcess } from './lib/server-process.ts';

const settleMs = 3000;

export const start: Bench = {
  name: 'start',
  title: 'Start and idle cost',
  how: `Start: from spawning the process on an empty data folder to the first 200 of \`/readyz\`, asked every 10 ms. Idle: resident memory and
CPU with no traffic and nobody connected, after ${settleMs / 1000} s of rest. Limit: the same for a bare \`node:http\` server.`,
  async run(context) {
    const rounds = context.quick ? 3 : 5;
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let i = 0; i < rounds; i++) {
      bare.push(await readyMs(drainServer));
      ours.push(await readyMs(context.server));
    }
    const idle = await idleCost(context, context.server);
    const bareIdle = await idleCost(context, drainServer);
    context.say(`ready in ${Math.round(Math.max(...ours))} ms at worst, idle ${idle.megabytes.toFixed(0)} MB`);
    return {
      figures: [
        {
          label: 'ready after start',
          unit: 'ms',
          values: ours,
          goal: { atMost: 2000 },
          limit: { label: 'bare node:http', values: bare },
        },
        {
          label: 'idle CPU',
          unit: '% of a core',
          values: [idle.cpuPercent],
          goal: { atMost: 1 },
          limit: { label: 'bare node:http', values: [bareIdle.cpuPercent] },
        },
        {
          label: 'idle memory (RSS)',
          unit: 'MB',
          values: [idle.megabytes],
          goal: { atMost: 150 },
          limit: { label: 'bare node:http', values: [bareIdle.megabytes] },
        },
      ],
      notes: [],
    };
  },
};

async function readyMs(options: ServerOptions): Promise<number> {
  const server = await ServerProcess.start(options);
  await server.stop();
  return server.readyMs;
}

async function idleCost(
  context: BenchContext,
  options: ServerOptions,
): Promise<{ cpuPercent: number; megabytes: number }> {
  const server = await ServerProcess.start(options);
  try {
    await sleep(duration(context, settleMs, 1000));
    const before = readCpu([server.pid]).seconds;
    const ms = duration(context, 60_000, 3000);
    await sleep(ms);
    const used = readCpu([server.pid]).seconds - before;
    return { cpuPercent: (used * 100_000) / ms, megabytes: server.residentBytes() / 1e6 };
  } finally {
    await server.stop();
  }
}
