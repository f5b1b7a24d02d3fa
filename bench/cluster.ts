/** P5: the cluster engine on one machine, whole and by part, beside what its two stores do bare. */
import type { Footprint } from './lib/capacity.ts';
import { ClusterProcesses, type Part } from './lib/cluster-processes.ts';
import { DriverProcess } from './lib/driver-process.ts';
import { duration, loadPlan, postsInFlight } from './lib/load-plan.ts';
import { faultsOf, type MeasuredRun, measuredRun, otherLoadNote } from './lib/measured-run.ts';
import { OwnServices } from './lib/own-services.ts';
import { readCpu, residentBytes } from './lib/process-cpu.ts';
import type { Bench, BenchContext, Figure } from './lib/result.ts';
import { spread } from './lib/statistics.ts';
import { cassandraRowRate } from './probes/cassandra-mutations.ts';
import { kafkaMessageRate, type RawRate } from './probes/kafka-messages.ts';

/** What one of our records has beside the event, and a row of the inbox. */
const recordHeaderBytes = 110;
const rowBytes = 450;
const partitions = 12;
const mutationsMetric = 'carillon_delivery_seconds_count';
const parts: readonly Part[] = ['intake', 'shard', 'gateway', 'kafka', 'cassandra', 'redis'];

/** Rates, and what the server used for each message or row, in microseconds. */
interface RawRates {
  readonly kafka: number;
  readonly cassandra: number;
  readonly kafkaUs: number;
  readonly cassandraUs: number;
}

interface Measured {
  /** The long run, then short ones for the spread. */
  readonly full: readonly [MeasuredRun, ...MeasuredRun[]];
  readonly raw: readonly RawRates[];
  readonly half: MeasuredRun;
  readonly residentMb: Record<Part, number>;
  readonly streams: number;
  readonly rowsPerMutation: number;
  /** All that was sent while the disks filled. */
  readonly accepted: number;
  readonly rows: number;
}

export const cluster: Bench = {
  name: 'cluster',
  title: 'Cluster engine: HTTP batch → Kafka → decision → Cassandra → Redis → socket',
  how: `One process of role \`intake\`, one \`shard\`, one \`gateway,api\`, on one broker, one node of Cassandra that syncs its log before it answers, and one
Redis, all on this machine together with the load generator and the clients: the load is that of the pipeline without skew. Raw: the same client libraries with the same options, alone on the machine,
in the same run: Kafka takes and gives back messages as large as our records, 500 a request; Cassandra takes rows of ${rowBytes} B into our own table, as many a mutation as the run had
notifications for each person of a micro-batch (that is one mutation), 256 under way. The goal is a share of the slower of the two. CPU is of all processes, the services' among them, per notification.`,
  async run(context) {
    const services = await OwnServices.start();
    try {
      const measured = await measure(context, services);
      context.say('stopping the services, so that everything is in files');
      await Promise.all([services.halt('kafka'), services.halt('cassandra')]);
      const footprint = footprintOf(measured, services);
      return { figures: figuresOf(context, measured, footprint), notes: notesOf(measured), footprint };
    } finally {
      await services.stop();
    }
  },
};

async function measure(context: BenchContext, services: OwnServices): Promise<Measured> {
  const plan = loadPlan(context, 'uniform');
  const processes = await ClusterProcesses.start(services, { module: context.server.module, shardProcesses: 1 });
  try {
    const ports = { port: processes.port('intake'), streamPort: processes.port('gateway') };
    const driver = await DriverProcess.open('carillon', { ...plan, ...ports });
    context.say(`${driver.opened.sockets} sockets in ${driver.opened.connectSeconds.toFixed(1)} s`);
    const all: MeasuredRun[] = [];
    /** Of the latest run. A person's part of a micro-batch is one mutation and, where the person is connected, one frame. */
    let rowsPerMutation = 1;
    const run = async (what: string, perSecond: number | null, durationMs: number): Promise<MeasuredRun> => {
      const pace = { perSecond, durationMs, connections: postsInFlight };
      const before = await processes.metric('shard', mutationsMetric);
      const latest = await measuredRun(driver, () => processes.cpu(), pace);
      const mutations = (await processes.metric('shard', mutationsMetric)) - before;
      rowsPerMutation = Math.max(1, latest.delivered / Math.max(1, mutations));
      sayRun(context, what, latest);
      all.push(latest);
      return latest;
    };
    // The Java services reach their speed after a minute of work.
    await run('warming up', null, duration(context, 60_000, 3000));
    const raw: RawRates[] = [];
    const round = async (ms: number): Promise<MeasuredRun> => {
      raw.push(await rawRates(context, services, driver.opened.bytesPerEvent, rowsPerMutation));
      return run('full speed', null, ms);
    };
    const full: [MeasuredRun, ...MeasuredRun[]] = [await round(duration(context, 60_000, 3000))];
    const fullRowsPerMutation = rowsPerMutation;
    for (let more = 0; more < (context.quick ? 0 : 2); more++) full.push(await round(15_000));
    const rate = spread(full.map((each) => each.deliveredPerSecond)).median;
    const half = await run('half speed', rate / 2, duration(context, 30_000, 3000));
    const resident = (part: Part): number => processes.residentBytes(part, residentBytes) / 2 ** 20;
    const residentMb = Object.fromEntries(parts.map((part) => [part, resident(part)])) as Record<Part, number>;
    await driver.close();
    const sum = (of: (each: MeasuredRun) => number): number => all.reduce((total, each) => total + of(each), 0);
    return {
      full,
      raw,
      half,
      residentMb,
      streams: driver.opened.sockets,
      rowsPerMutation: fullRowsPerMutation,
      accepted: sum((each) => each.sent),
      rows: sum((each) => each.rows),
    };
  } finally {
    await processes.stop();
  }
}

async function rawRates(
  context: BenchContext,
  services: OwnServices,
  bytesPerEvent: number,
  rowsPerMutation: number,
): Promise<RawRates> {
  const time = { warmUpMs: duration(context, 4000, 500), ms: duration(context, 6000, 1000) };
  const bytes = Math.round(bytesPerEvent) + recordHeaderBytes;
  const brokers = services.address('kafka');
  const kafka = await withCpu(services, 'kafka', () =>
    kafkaMessageRate({ brokers, partitions, bytes, perSend: 500, ...time }),
  );
  const contactPoint = services.address('cassandra');
  const cassandra = await withCpu(services, 'cassandra', () =>
    cassandraRowRate({ contactPoint, rowBytes, rowsPerMutation, ...time }),
  );
  const say = (name: string, { perSecond, us }: { perSecond: number; us: number }): string =>
    `${name} ${Math.round(perSecond)}/s at ${us.toFixed(1)} µs`;
  context.say(`raw: ${say('Kafka', kafka)}, ${say('Cassandra', cassandra)}`);
  return {
    kafka: kafka.perSecond,
    cassandra: cassandra.perSecond,
    kafkaUs: kafka.us,
    cassandraUs: cassandra.us,
  };
}

async function withCpu(
  services: OwnServices,
  name: 'kafka' | 'cassandra',
  probe: () => Promise<RawRate>,
): Promise<{ perSecond: number; us: number }> {
  const before = readCpu(services.pids(name)).seconds;
  const { perSecond, total } = await probe();
  return { perSecond, us: ((readCpu(services.pids(name)).seconds - before) * 1e6) / total };
}

function footprintOf(measured: Measured, services: OwnServices): Footprint {
  const { full, residentMb, accepted, rows, streams } = measured;
  const cpuUs = Object.fromEntries(parts.map((part) => [part, full[0].cpu.threads[part] ?? 0])) as Record<Part, number>;
  return {
    cpuUs,
    residentMb,
    kafkaBytes: services.bytes('kafka', 'carillon.log') / accepted,
    cassandraBytes: services.bytes('cassandra', '/data/carillon/') / Math.max(1, rows),
    streams,
  };
}

function figuresOf(context: BenchContext, measured: Measured, footprint: Footprint): Figure[] {
  const { full, raw, half, residentMb, streams } = measured;
  const slower = raw.map((each) => Math.min(each.kafka, each.cassandra));
  const p99 = (label: string, run: MeasuredRun, more: Partial<Figure>): Figure => ({
    label,
    unit: 'ms',
    values: [run.latency.p99Ms],
    cpu: run.cpu,
    note: `p50 ${run.latency.p50Ms} ms, max ${run.latency.maxMs} ms, delivered ${Math.round(run.deliveredPerSecond)}/s`,
    ...more,
  });
  return [
    {
      label: `cluster: sustained at full speed (${context.quick ? 3 : 60} s)`,
      unit: 'notifications/s',
      values: full.map((run) => run.deliveredPerSecond),
      limit: { label: 'slower raw client', values: slower },
      cpu: full[0].cpu,
      note: `p99 ${full[0].latency.p99Ms} ms, the queue's`,
    },
    {
      label: 'cluster: share of the slower raw client',
      unit: '%',
      values: full.map((run, i) => (100 * run.deliveredPerSecond) / (slower[i] ?? Number.NaN)),
      goal: { atLeast: 60 },
    },
    p99('cluster: p99 at half speed', half, { goal: { atMost: 2000 } }),
    ...parts.map((part) => ({ label: `cluster: memory of ${part} (RSS)`, unit: 'MB', values: [residentMb[part]] })),
    { label: 'cluster: Kafka on disk', unit: 'B/event', values: [footprint.kafkaBytes] },
    {
      label: 'cluster: Cassandra on disk',
      unit: 'B/row',
      values: [footprint.cassandraBytes],
      note: `${streams} streams`,
    },
  ];
}

function notesOf({ full, half, raw, rowsPerMutation }: Measured): string[] {
  const of = (pick: (each: RawRates) => number): string =>
    Math.round(spread(raw.map(pick)).median).toLocaleString('en');
  return [
    `Raw: Kafka ${of((each) => each.kafka)}/s at ${of((each) => each.kafkaUs)} µs of the broker's CPU, Cassandra ${of((each) => each.cassandra)}/s at ${of((each) => each.cassandraUs)} µs of the node's, with ${rowsPerMutation.toFixed(2)} rows a mutation; driver ${full[0].driverUs.toFixed(1)} µs each. Each raw client had the machine to itself; in the whole all services, our processes, the load generator and the clients share it.`,
    ...full.flatMap((run) => faultsOf(run, 'at full speed')),
    ...faultsOf(half, 'at half speed'),
    ...otherLoadNote([...full, half]),
  ];
}

function sayRun(context: BenchContext, what: string, run: MeasuredRun): void {
  const { p50Ms, p99Ms } = run.latency;
  const arrived = run.delivered === run.expected ? 'all arrived' : `${run.delivered} of ${run.expected} arrived`;
  const costs = Object.entries(run.cpu.threads).map(([part, us]) => `${part} ${us}`);
  context.say(
    `${what}: ${Math.round(run.deliveredPerSecond)}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${arrived}; µs each: ${costs.join(', ')}`,
  );
}
