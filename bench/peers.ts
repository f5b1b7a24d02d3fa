/** Peers on the same trace with the same client in the same run: what a team would build instead. */
import type { TargetName } from './driver/main.ts';
import { DriverProcess } from './lib/driver-process.ts';
import { duration, type LoadPlan, loadPlan, postsInFlight } from './lib/load-plan.ts';
import { faultsOf, type MeasuredRun, measuredRun, otherLoadNote } from './lib/measured-run.ts';
import { missingForBullmq, type RunningPeer, startBullmq } from './lib/peer-bullmq.ts';
import { missingForCentrifugo, startCentrifugo } from './lib/peer-centrifugo.ts';
import type { Bench, BenchContext, Figure } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';
import { spread } from './lib/statistics.ts';

interface Contestant {
  readonly name: string;
  readonly target: TargetName;
  readonly missing: () => string[];
  readonly start: (context: BenchContext) => Promise<RunningPeer>;
  /** Posts in flight at most, where fewer serve it better. */
  readonly inFlight: number;
}

const contestants: readonly Contestant[] = [
  {
    name: 'BullMQ + PostgreSQL + Socket.IO, usual form',
    target: 'bullmq',
    missing: missingForBullmq,
    start: () => startBullmq('micro'),
    inFlight: 4,
  },
  {
    name: 'BullMQ + PostgreSQL + Socket.IO, best-tuned form',
    target: 'bullmq',
    missing: missingForBullmq,
    start: () => startBullmq('batch'),
    inFlight: 4,
  },
  {
    name: 'Centrifugo, live messages only',
    target: 'centrifugo',
    missing: missingForCentrifugo,
    start: (context) => startCentrifugo(context.say),
    inFlight: 4,
  },
  { name: 'Carillon', target: 'carillon', missing: () => [], start: startCarillon, inFlight: postsInFlight },
];

const goalTimes = [6, 2] as const;

export const peers: Bench = {
  name: 'peers',
  title: 'Peers in the same run',
  how: `The same lines of the Higgs trace in posts of 100, the same raw-socket clients counting what arrives. Full speed is a closed loop, p99 an open loop at half of each one's own full speed.
The peer's usual form has a job per notification (jobs that wait together share a statement), its best-tuned form a job per request; both commit to PostgreSQL before they emit, with 2,000 sockets standing for all recipients, as their own bench does.
They check less: no authentication, preferences, grouping by people, unread counts. Centrifugo keeps nothing: it is the bar for the gateway alone. They send a message per notification; Carillon sends one frame per person and micro-batch, to a socket per person.`,
  async run(context) {
    const figures: Figure[] = [];
    const notes: string[] = [];
    const rates: (number | null)[] = [];
    for (const contestant of contestants) {
      const missing = contestant.missing();
      if (missing.length > 0) notes.push(`${contestant.name}: not run, missing ${missing.join(' and ')}.`);
      const outcome = missing.length > 0 ? null : await race(context, contestant).catch((error: Error) => error);
      if (outcome instanceof Error) notes.push(`**${contestant.name}: failed: ${outcome.message.slice(0, 300)}**`);
      const ran = outcome === null || outcome instanceof Error ? null : outcome;
      rates.push(ran === null ? null : rateOf(ran));
      if (ran !== null) {
        figures.push(figureOf(contestant, ran));
        notes.push(...ran.full.flatMap((run) => faultsOf(run, contestant.name)));
        notes.push(
          ...faultsOf(ran.half, `${contestant.name} at half speed`),
          ...otherLoadNote([...ran.full, ran.half]),
        );
      }
    }
    return { figures: [...figures, ...ratios(rates)], notes };
  },
};

interface Raced {
  readonly full: readonly [MeasuredRun, ...MeasuredRun[]];
  readonly half: MeasuredRun;
}

const rateOf = (raced: Pick<Raced, 'full'>): number => spread(raced.full.map((run) => run.deliveredPerSecond)).median;

async function race(context: BenchContext, contestant: Contestant): Promise<Raced> {
  const plan: LoadPlan = loadPlan(context, 'trace');
  const peer = await contestant.start(context);
  try {
    const driver = await DriverProcess.open(contestant.target, { ...plan, port: peer.port });
    const run = (perSecond: number | null, durationMs: number): Promise<MeasuredRun> =>
      measuredRun(driver, () => peer.cpu(), { perSecond, durationMs, connections: contestant.inFlight });
    await run(null, duration(context, 4000, 1000));
    const fullMs = duration(context, 10_000, 3000);
    const full: [MeasuredRun, ...MeasuredRun[]] = [await run(null, fullMs)];
    for (let more = 0; more < (context.quick ? 0 : 2); more++) full.push(await run(null, fullMs));
    const half = await run(rateOf({ full }) / 2, duration(context, 15_000, 2500));
    await driver.close();
    const { p50Ms, p99Ms } = half.latency;
    context.say(
      `${contestant.name}: ${Math.round(rateOf({ full }))}/s, ${full[0].cpu.totalUs} µs, half: p50 ${p50Ms} ms, p99 ${p99Ms} ms`,
    );
    return { full, half };
  } finally {
    await peer.stop();
  }
}

async function startCarillon(context: BenchContext): Promise<RunningPeer> {
  const server = await ServerProcess.start(context.server);
  return { port: server.port, cpu: () => server.cpu(), stop: () => server.stop() };
}

function figureOf(contestant: Contestant, ran: Raced): Figure {
  const { p50Ms, p99Ms } = ran.half.latency;
  return {
    label: contestant.name,
    unit: 'notifications/s',
    values: ran.full.map((run) => run.deliveredPerSecond),
    cpu: ran.full[0].cpu,
    note: `at half of it (${Math.round(ran.half.deliveredPerSecond)}/s) p50 ${p50Ms} ms, p99 ${p99Ms} ms`,
  };
}

function ratios(rates: readonly (number | null)[]): Figure[] {
  const ours = rates.at(-1) ?? null;
  const names = ['its usual form', 'its best-tuned form'] as const;
  return names.flatMap((name, i): Figure[] => {
    const peer = rates[i] ?? null;
    if (ours === null || peer === null) return [];
    return [
      { label: `Carillon against ${name}`, unit: '×', values: [ours / peer], goal: { atLeast: goalTimes[i] ?? 1 } },
    ];
  });
}
