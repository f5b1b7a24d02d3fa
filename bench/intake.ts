/** Intake alone: events made durable and answered, one by one and in batches of 100, nobody listening. */
import { DriverProcess } from './lib/driver-process.ts';
import { duration, loadPlan } from './lib/load-plan.ts';
import { faultsOf, type MeasuredRun, measuredRun, otherLoadNote } from './lib/measured-run.ts';
import { drainRate } from './lib/probe-rates.ts';
import type { Bench, BenchContext, Figure } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';

interface Form {
  readonly name: string;
  readonly batch: number;
  readonly connections: number;
}

const forms: readonly Form[] = [
  { name: 'posts of 100', batch: 100, connections: 16 },
  { name: 'posts of 1', batch: 1, connections: 64 },
];

export const intake: Bench = {
  name: 'intake',
  title: 'Intake: durable events by HTTP',
  how: `Events acknowledged with 202 (so synced to the log) per second, closed loop, nobody connected; the executor applies them meanwhile.
Limit: the same posts to bare \`node:http\` that reads the body and answers. CPU is per event and includes the executor's work.`,
  async run(context) {
    const figures: Figure[] = [];
    const notes: string[] = [];
    for (const form of forms) {
      const { runs, limits } = await measure(context, form);
      figures.push({
        label: `accepted, ${form.name}`,
        unit: 'events/s',
        values: runs.map((run) => run.ackedPerSecond),
        limit: { label: 'bare node:http', values: limits },
        ...(runs[0] === undefined ? {} : { cpu: runs[0].cpu }),
        note: `p50 ${runs[0]?.acks.p50Ms} ms, p99 ${runs[0]?.acks.p99Ms} ms to the answer, ${form.connections} in flight`,
      });
      const delivered = runs.map((run) => ({ ...run, expected: 0, delivered: 0 }));
      notes.push(...delivered.flatMap((run) => faultsOf(run, form.name)), ...otherLoadNote(runs));
    }
    return { figures, notes };
  },
};

async function measure(context: BenchContext, form: Form): Promise<{ runs: MeasuredRun[]; limits: number[] }> {
  const plan = { ...loadPlan(context, 'trace'), lines: 20_000, batch: form.batch, listen: false };
  const ms = duration(context, 8000, 1200);
  const server = await ServerProcess.start(context.server);
  try {
    const driver = await DriverProcess.open('carillon', { ...plan, port: server.port });
    const pace = { perSecond: null, durationMs: ms, connections: form.connections };
    await driver.run({ ...pace, durationMs: 1000 });
    const runs: MeasuredRun[] = [];
    const limits: number[] = [];
    for (let round = 0; round < (context.quick ? 1 : 3); round++) {
      limits.push(await drainRate(plan, ms / 2, form.connections));
      runs.push(await measuredRun(driver, () => server.cpu(), pace));
      context.say(
        `${form.name}: ${Math.round(runs.at(-1)?.ackedPerSecond ?? 0)}/s beside ${Math.round(limits.at(-1) ?? 0)}/s`,
      );
    }
    await driver.close();
    return { runs, limits };
  } finally {
    await server.stop();
  }
}
