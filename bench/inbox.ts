/** P7: the newest 100 rows of distinct people, and changes since a revision. */
import type { Event } from '@carillon/contract/event.ts';
import type { ReadReport, ReadRequest } from './driver/reader.ts';
import { devTokens } from './driver/target-carillon.ts';
import { readPages } from './lib/driver-process.ts';
import { readPage, untilPage } from './lib/inbox-client.ts';
import { duration } from './lib/load-plan.ts';
import { postEvents } from './lib/post-events.ts';
import { type CpuPer, cpuPer } from './lib/process-cpu.ts';
import type { Bench, BenchContext, Figure } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';

const rowsEach = 100;
const peopleFull = 2000;
const peopleQuick = 100;
const goalRate = 5000;
const connections = 16;
const changesBack = 20;

export const inbox: Bench = {
  name: 'inbox',
  title: 'Inbox: newest 100 and changes',
  how: `${peopleFull} people with ${rowsEach} rows each, read in turn (so no two reads of a second are one person's), ${connections} connections. Rate by closed loop, p99 by an open loop of ${goalRate}/s.
Limit: bare \`node:http\` that sends ready pages as large from memory; the remark gives the limit of a cold page, 100 rows read from LevelDB and joined. Changes: since the revision ${changesBack} rows back.`,
  async run(context) {
    const people = Array.from({ length: context.quick ? peopleQuick : peopleFull }, (_, i) => `reader-${i}`);
    const server = await ServerProcess.start(context.server);
    try {
      const tokens = await fill(server.port, people);
      context.say(`${people.length} inboxes filled`);
      const pages = tokens.map((token) => ({ path: `/v1/notifications?limit=${rowsEach}`, token }));
      const sample = await readPage(server.port, tokens[0] ?? '', `limit=${rowsEach}`);
      const rowBytes = Math.round(JSON.stringify(sample).length / rowsEach);
      const probe = { people: people.length, rowBytes, pages: 'ready' } as const;
      const page = await alternate(context, server, pages, probe);
      const cold = await probeRate({ ...probe, pages: 'level' }, duration(context, 5000, 1000));
      const steady = await open(context, server, pages);
      const changes = await alternate(context, server, await changesRequests(server.port, tokens), null);
      return {
        figures: [
          {
            label: `newest ${rowsEach}, full speed`,
            unit: 'reads/s',
            values: page.ours.map((run) => run.perSecond),
            goal: { atLeast: goalRate },
            limit: { label: 'bare node:http, ready pages', values: page.limits },
            cpu: page.cpu,
            note: `${Math.round((page.ours[0]?.bytesEach ?? 0) / 1024)} KiB a page; bare LevelDB read of 100 rows + node:http: ${Math.round(cold)}/s`,
          },
          {
            label: `newest ${rowsEach}: p99 at ${goalRate}/s`,
            unit: 'ms',
            values: [steady.latency.p99Ms],
            goal: { atMost: 50 },
            note: `reached ${Math.round(steady.perSecond)}/s, p50 ${steady.latency.p50Ms} ms`,
          },
          changesFigure(changes),
        ],
        notes: [...failures(page.ours, 'pages'), ...failures([steady], 'pages'), ...failures(changes.ours, 'changes')],
      };
    } finally {
      await server.stop();
    }
  },
};

const changesFigure = (changes: Alternated): Figure => ({
  label: `changes since ${changesBack} rows ago, full speed`,
  unit: 'reads/s',
  values: changes.ours.map((run) => run.perSecond),
  cpu: changes.cpu,
  note: `p99 ${changes.ours[0]?.latency.p99Ms} ms, ${Math.round((changes.ours[0]?.bytesEach ?? 0) / 1024)} KiB each`,
});

/** Writes the rows person by person in turn, so that one person's rows lie apart in the store; answers the readers' tokens. */
async function fill(port: number, people: readonly string[]): Promise<string[]> {
  const [producer = ''] = await devTokens(port, [{ source: 'bench' }]);
  await postEvents(port, producer, mentions(people));
  const tokens = await devTokens(
    port,
    people.map((user) => ({ user })),
  );
  await untilPage(port, tokens.at(-1) ?? '', `limit=${rowsEach}`, (page) => page.items.length === rowsEach);
  return tokens;
}

function* mentions(people: readonly string[]): Generator<Event> {
  const firstMs = Date.UTC(2026, 0, 1);
  for (let row = 0; row < rowsEach; row++) {
    for (const [i, user] of people.entries()) {
      const id = `read-${row}-${i}`;
      yield {
        id,
        source: 'bench',
        type: 'mention.created',
        time: new Date(firstMs + (row * people.length + i) * 10).toISOString(),
        actor: { id: `a${(row * 31 + i) % 5000}`, name: 'Ana Example', avatar: 'https://app.example/a/1.png' },
        object: { kind: 'post', id: `p-${id}`, title: 'What we saw when the two beams met', url: `/p/${id}` },
        to: { user },
        data: {},
      };
    }
  }
}

interface Probe {
  readonly people: number;
  readonly rowBytes: number;
  readonly pages: 'ready' | 'level';
}

interface Alternated {
  readonly ours: readonly ReadReport[];
  readonly limits: readonly number[];
  readonly cpu: CpuPer;
}

async function alternate(
  context: BenchContext,
  server: ServerProcess,
  requests: readonly ReadRequest[],
  probe: Probe | null,
): Promise<Alternated> {
  const pace = { perSecond: null, durationMs: duration(context, 10_000, 1200), connections };
  await readPages(server.port, requests, { ...pace, durationMs: 1000 });
  const [ours, limits]: [ReadReport[], number[]] = [[], []];
  const before = server.cpu();
  for (let round = 0; round < (context.quick ? 1 : 3); round++) {
    if (probe !== null) limits.push(await probeRate(probe, pace.durationMs / 2));
    ours.push(await readPages(server.port, requests, pace));
    context.say(`${Math.round(ours.at(-1)?.perSecond ?? 0)} reads/s beside ${Math.round(limits.at(-1) ?? 0)}`);
  }
  const reads = ours.reduce((sum, run) => sum + run.reads, 0);
  return { ours, limits, cpu: cpuPer(before, server.cpu(), reads) };
}

function open(context: BenchContext, server: ServerProcess, requests: readonly ReadRequest[]): Promise<ReadReport> {
  const pace = { perSecond: goalRate, durationMs: duration(context, 20_000, 2000), connections: connections * 2 };
  return readPages(server.port, requests, pace);
}

async function probeRate(probe: Probe, durationMs: number): Promise<number> {
  const environment = { PEOPLE: String(probe.people), ROW_BYTES: String(probe.rowBytes), PAGES: probe.pages };
  const server = await ServerProcess.start({ module: 'bench/probes/page-server.ts', readyPath: '/', environment });
  try {
    const requests = Array.from({ length: probe.people }, (_, i) => ({ path: `/?person=${i}`, token: null }));
    const pace = { perSecond: null, durationMs, connections };
    await readPages(server.port, requests, { ...pace, durationMs: durationMs / 2 });
    return (await readPages(server.port, requests, pace)).perSecond;
  } finally {
    await server.stop();
  }
}

async function changesRequests(port: number, tokens: readonly string[]): Promise<ReadRequest[]> {
  const requests: ReadRequest[] = [];
  for (const token of tokens.slice(0, 500)) {
    const page = await readPage(port, token, `limit=${changesBack + 1}`);
    const since = page.items.at(-1)?.revision ?? 0;
    requests.push({ path: `/v1/notifications/changes?since=${since}`, token });
  }
  return requests;
}

function failures(runs: readonly ReadReport[], what: string): string[] {
  return runs.flatMap((run) =>
    Object.entries(run.failed)
      .slice(0, 2)
      .map(([answer, times]) => `**${what}: ${times} × ${answer}**`),
  );
}
