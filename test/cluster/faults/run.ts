/**
 * `npm run test:cluster:faults`: trace events are sent into a cluster of seven processes on real Kafka, Cassandra and Redis
 * while processes, services and links fail one after the other and the shards move every few seconds (R2, N3). At the end
 * every acknowledged event must be in exactly one row, with the trace's distinct people, counts must equal rows, every mark
 * that was answered must hold, and every stream must show what its inbox holds.
 *
 * `-- [--events 200000] [--laps 3] [--seed N] [--only WORD]`; `--short` is for the run with all other checks.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Random, seededRandom } from '../../../server/src/base/random.ts';
import { checkStore } from '../../crash/check-inboxes.ts';
import { ExpectedInboxes } from '../../crash/expected-inboxes.ts';
import { sendStream } from '../../crash/send-stream.ts';
import { traceStreams } from '../../crash/trace-streams.ts';
import { caughtUp, openStore } from './cluster-state.ts';
import { FaultCluster } from './fault-cluster.ts';
import { type Fault, faultList, shortFaults } from './fault-list.ts';
import { Rebalancer } from './rebalancer.ts';
import { Watchers } from './watchers.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string' },
    laps: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const eventsMax = Number(values.events ?? (values.short ? 20_000 : 200_000));
const laps = Number(values.laps ?? (values.short ? 1 : 3));
const senders = 4;
/** How long the events of one fault's share may take before the next one strikes all the same. */
const shareWithinMs = 60_000;

interface Progress {
  sent: number;
  repeated: number;
  /** So many events may have been sent by now. */
  released: number;
}

interface Findings {
  /** What happened, in numbers. */
  readonly lines: readonly string[];
  readonly rowFaults: readonly string[];
  readonly streamFaults: readonly string[];
}

process.exit((await main(seededRandom(Number(values.seed)))) ? 0 : 1);

async function main(random: Random): Promise<boolean> {
  const folder = join(tmpdir(), `carillon-faults-${process.pid}`);
  let failed = 2;
  try {
    const { lines, rowFaults, streamFaults } = await run(folder, random);
    for (const line of [...lines, ...rowFaults.slice(0, 20), ...streamFaults.slice(0, 20)]) console.log(line);
    failed = Number(rowFaults.length > 0) + Number(streamFaults.length > 0);
  } catch (error) {
    console.error(error);
  }
  if (failed > 0 || values.keep) console.log(`Logs and data: ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  console.log(`${2 - failed} passed, ${failed} failed`);
  return failed === 0;
}

async function run(folder: string, random: Random): Promise<Findings> {
  const expected = new ExpectedInboxes();
  const streams = await traceStreams({ events: eventsMax, senders }, expected);
  const cluster = await FaultCluster.start(folder);
  try {
    const watchers = new Watchers(cluster, expected, random);
    watchers.start();
    const rebalancer = new Rebalancer(cluster);
    rebalancer.start();
    const progress: Progress = { sent: 0, repeated: 0, released: 0 };
    await Promise.all([
      ...streams.map((events, index) => sendStream(events, producer(cluster, progress, random, index))),
      strikeInTurn(cluster, random, progress),
    ]);
    await rebalancer.stop();
    const settledMs = await caughtUp();
    const streamFaults = await watchers.check();
    await cluster.stopProcesses();
    const { people, rows, faults: rowFaults } = await checkRows(expected);
    const ends = cluster.members.flatMap(({ process: { ownEnds } }) => ownEnds);
    const lines = [
      `${expected.events} events acknowledged, ${progress.repeated} batches sent again; a shard process left and came back ` +
        `${rebalancer.moves} times; ${ends.length} times a process ended by itself (${[...new Set(ends)].join(', ')})`,
      `all applied ${Math.round(settledMs)} ms after the last event: ${people} people, ${rows} rows, ${rowFaults.length} faults`,
      `${watchers.summary()}, ${streamFaults.length} faults`,
    ];
    return { lines, rowFaults, streamFaults };
  } finally {
    await cluster.close();
  }
}

async function checkRows(expected: ExpectedInboxes) {
  const { store, close } = await openStore();
  const findings = await checkStore(store, expected);
  await close();
  return findings;
}

function chosenFaults(): Fault[] {
  const all = values.short ? faultList.slice(0, shortFaults) : faultList;
  const chosen = all.filter(({ name }) => name.includes(values.only));
  return Array.from({ length: laps }, () => chosen).flat();
}

/** Each fault has its share of the events, sent while it lasts and for as long after as they take. */
async function strikeInTurn(cluster: FaultCluster, random: Random, progress: Progress): Promise<void> {
  const faults = chosenFaults();
  for (const [index, fault] of faults.entries()) {
    progress.released = Math.ceil((eventsMax * (index + 1)) / faults.length);
    const before = progress.sent;
    const began = performance.now();
    await fault.strike(cluster, random);
    const mendedMs = performance.now() - began;
    while (progress.sent < progress.released && performance.now() - began < shareWithinMs) await pause(20);
    console.log(
      `${fault.name}: ${Math.round(mendedMs)} ms; ${progress.sent - before} events in ${Math.round(performance.now() - began)} ms`,
    );
  }
  progress.released = Number.POSITIVE_INFINITY;
}

/** Goes to the other intake when one does not answer, as a load balancer would have it. */
function producer(cluster: FaultCluster, progress: Progress, random: Random, index: number) {
  const intakes = cluster.of('intake').map(({ url }) => url);
  let turn = index;
  return {
    url: 'http://intake',
    random,
    progress,
    next: async (): Promise<void> => {
      while (progress.sent >= progress.released) await pause(20);
    },
    fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const url = String(input).replace('http://intake', intakes[turn % intakes.length] as string);
      try {
        const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(15_000) });
        if (!answer.ok) turn++;
        return answer;
      } catch (error) {
        turn++;
        throw error;
      }
    },
  };
}
