/** P1: from an HTTP batch through log, decision and inbox to the recipients' sockets, with and without skew. */
import type { RunReport } from './driver/driver.ts';
import { DriverProcess } from './lib/driver-process.ts';
import { duration, loadPlan, postsInFlight } from './lib/load-plan.ts';
import { faultsOf, type MeasuredRun, measuredRun, otherLoadNote } from './lib/measured-run.ts';
import { type LoadShape, type StageLimits, stageLimits } from './lib/probe-rates.ts';
import type { Bench, BenchContext, Figure } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';
import { spread } from './lib/statistics.ts';

const steadyRate = 12_000;
const openLoopConnections = 32;

interface Scenario {
  readonly skew: 'trace' | 'uniform';
  readonly name: string;
  readonly goalRate: number;
}

const scenarios: readonly Scenario[] = [
  { skew: 'trace', name: 'trace', goalRate: 40_000 },
  { skew: 'uniform', name: 'no skew', goalRate: 25_000 },
];

interface Measured {
  /** The long run, then short ones for the spread. */
  readonly full: readonly [MeasuredRun, ...MeasuredRun[]];
  readonly limits: readonly StageLimits[];
  readonly atGoal: MeasuredRun;
  readonly half: MeasuredRun;
  readonly steady: MeasuredRun;
  readonly storeRows: number;
  readonly shape: LoadShape;
}

export const pipeline: Bench = {
  name: 'pipeline',
  title: 'Pipeline: HTTP batch → log → decision → inbox → socket',
  how: `Posts of 100 NDJSON events (about 340 B each) from the Higgs trace, every recipient connected by a socket of its own.
A notification is an event that reached its recipient's socket: a row that stands alone counts one, a group's row counts
what its number of people grew by. The driver predicts how many there must be (a repeated repost of the same post by the same person tells
nothing new) and the run is faulty if the sums differ. Several events of one person may share a frame. \`trace\` has the recorded recipients (12 % of events to one person);
\`no skew\` gives every recipient the same share. Full speed is a closed loop with ${postsInFlight} posts in flight; the other rates are open
loops, their latency counted from each post's scheduled time to the arrival of the frame. Limits, as notifications per second of the same load: bare
\`node:http\` reading the same posts; write + fdatasync of 256 KiB commits; bare LevelDB puts, a row of 450 B per notification; bare \`net.Socket.write\` of frames as large to as many sockets. The ratio is to the slowest of them.`,
  async run(context) {
    const figures: Figure[] = [];
    const notes: string[] = [];
    for (const scenario of scenarios) {
      const measured = await measure(context, scenario);
      figures.push(...figuresOf(context, scenario, measured));
      notes.push(...notesOf(scenario, measured));
    }
    return { figures, notes };
  },
};

async function measure(context: BenchContext, scenario: Scenario): Promise<Measured> {
  const plan = loadPlan(context, scenario.skew);
  const server = await ServerProcess.start(context.server);
  try {
    const driver = await DriverProcess.open('carillon', { ...plan, port: server.port });
    const { sockets, connectSeconds, bytesPerEvent } = driver.opened;
    context.say(`${scenario.name}: ${sockets} sockets in ${connectSeconds.toFixed(1)} s`);
    const fill = await fillStore(context, driver);
    const run = (perSecond: number | null, durationMs: number): Promise<MeasuredRun> => {
      const connections = perSecond === null ? postsInFlight : openLoopConnections;
      return measuredRun(driver, () => server.cpu(), { perSecond, durationMs, connections });
    };
    const limits: StageLimits[] = [];
    let shape = shapeOf(fill, bytesPerEvent);
    const round = async (ms: number): Promise<MeasuredRun> => {
      limits.push(await stageLimits(shape, plan, duration(context, 4000, 700)));
      const latest = await run(null, ms);
      shape = shapeOf(latest, bytesPerEvent);
      sayRun(context, `${scenario.name}, full speed`, latest);
      return latest;
    };
    const full: [MeasuredRun, ...MeasuredRun[]] = [await round(duration(context, 60_000, 3000))];
    for (let more = 0; more < (context.quick ? 0 : 2); more++) full.push(await round(15_000));
    const rate = Math.round(spread(full.map((each) => each.deliveredPerSecond)).median);
    const atGoal = await run(scenario.goalRate, duration(context, 60_000, 2000));
    sayRun(context, `${scenario.name}, ${scenario.goalRate}/s`, atGoal);
    const half = await run(rate / 2, duration(context, 30_000, 2000));
    sayRun(context, `${scenario.name}, half speed`, half);
    const steady = await run(steadyRate, duration(context, 30_000, 2000));
    sayRun(context, `${scenario.name}, ${steadyRate}/s`, steady);
    await driver.close();
    return { full, limits, atGoal, half, steady, storeRows: fill.rows, shape };
  } finally {
    await server.stop();
  }
}

/** Brings the store to its size before anything is measured; in a quick run only warms up. */
async function fillStore(context: BenchContext, driver: DriverProcess): Promise<RunReport> {
  const total = { rows: 0 };
  for (;;) {
    const pace = { perSecond: null, durationMs: duration(context, 15_000, 1000), connections: postsInFlight };
    const run = await driver.run(pace);
    total.rows += run.rows;
    context.say(`store: ${total.rows} rows (${Math.round(run.deliveredPerSecond)}/s)`);
    if (total.rows >= context.storeRows || run.delivered < run.expected) return { ...run, rows: total.rows };
  }
}

const shapeOf = (run: RunReport, bytesPerEvent: number): LoadShape => ({
  bytesPerEvent,
  framesPerEvent: run.frames / Math.max(1, run.delivered),
  bytesPerFrame: run.frameBytes / Math.max(1, run.frames),
});

function figuresOf(context: BenchContext, scenario: Scenario, measured: Measured): Figure[] {
  const { name, goalRate } = scenario;
  const { full, limits, atGoal, half, steady } = measured;
  const seconds = context.quick ? 3 : 60;
  const slowest = limits.map((each) => Math.min(each.intake, each.log, each.inbox, each.sockets));
  const p99 = (label: string, run: MeasuredRun, atMost: number): Figure => ({
    label: `${name}: p99 ${label}`,
    unit: 'ms',
    values: [run.latency.p99Ms],
    goal: { atMost },
    cpu: run.cpu,
    note: `p50 ${run.latency.p50Ms} ms, max ${run.latency.maxMs} ms, delivered ${Math.round(run.deliveredPerSecond)}/s`,
  });
  return [
    {
      label: `${name}: sustained at full speed (${seconds} s)`,
      unit: 'notifications/s',
      values: full.map((run) => run.deliveredPerSecond),
      goal: { atLeast: goalRate },
      limit: { label: 'slowest raw stage', values: slowest },
      cpu: full[0].cpu,
      note: `p99 ${full[0].latency.p99Ms} ms`,
    },
    {
      label: `${name}: share of the slowest raw stage`,
      unit: '%',
      values: full.map((run, i) => (100 * run.deliveredPerSecond) / (slowest[i] ?? Number.NaN)),
      goal: { atLeast: 60 },
    },
    p99(`at ${goalRate}/s`, atGoal, 2000),
    p99('at half speed', half, 50),
    p99(`at ${steadyRate}/s`, steady, 50),
  ];
}

function notesOf(scenario: Scenario, measured: Measured): string[] {
  const { full, limits, atGoal, half, steady, storeRows, shape } = measured;
  const of = (pick: (each: StageLimits) => number): string =>
    `${Math.round(spread(limits.map(pick)).median).toLocaleString('en')}/s`;
  const runs = [...full, atGoal, half, steady];
  return [
    `${scenario.name}: store of ${storeRows.toLocaleString('en')} rows before measuring; ${shape.framesPerEvent.toFixed(2)} frames of ${Math.round(shape.bytesPerFrame)} B per notification; driver ${full[0].driverUs.toFixed(1)} µs each. Raw limits: intake ${of((l) => l.intake)}, log ${of((l) => l.log)}, inbox ${of((l) => l.inbox)}, sockets ${of((l) => l.sockets)}.`,
    ...full.flatMap((run) => faultsOf(run, `${scenario.name} at full speed`)),
    ...faultsOf(atGoal, `${scenario.name} at ${scenario.goalRate}/s`),
    ...faultsOf(half, `${scenario.name} at half speed`),
    ...faultsOf(steady, `${scenario.name} at ${steadyRate}/s`),
    ...otherLoadNote(runs),
  ];
}

function sayRun(context: BenchContext, what: string, run: MeasuredRun): void {
  const { p50Ms, p99Ms } = run.latency;
  const arrived = run.delivered === run.expected ? 'all arrived' : `${run.delivered} of ${run.expected} arrived`;
  context.say(
    `${what}: ${Math.round(run.deliveredPerSecond)}/s, ${run.cpu.totalUs} µs, p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${arrived}`,
  );
}
