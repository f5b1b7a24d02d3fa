/** What wishes cost: the whole trace into the inboxes, with nobody and with one person in ten having said something. */
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { readTraceLines } from '../scripts/trace/read-trace.ts';
import { devTokens } from './driver/target-carillon.ts';
import { DriverProcess } from './lib/driver-process.ts';
import { HttpConnection, requestHead } from './lib/http-connection.ts';
import { untilApplied } from './lib/inbox-client.ts';
import { duration, postsInFlight } from './lib/load-plan.ts';
import { faultsOf } from './lib/measured-run.ts';
import { type CpuPer, cpuPer } from './lib/process-cpu.ts';
import type { Bench, BenchContext, Figure } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';
import { spread } from './lib/statistics.ts';

const quickLines = 20_000;
/** Of those who are told of anything, one in so many has said how. */
const oneIn = 10;
const connections = 8;

interface Lap {
  readonly perSecond: number;
  readonly cpu: CpuPer;
  readonly faults: readonly string[];
}

interface Setting {
  readonly label: string;
  readonly module: string;
  readonly withWishes: boolean;
}

export const policies: Bench = {
  name: 'policies',
  title: 'Policies: the whole trace with and without wishes',
  how: `Every recipient of the trace, nobody connected, ${postsInFlight} posts of 100 in flight; timed from the first post until all that was accepted is applied, after a
warm-up. \`wishes\`: one recipient in ${oneIn} has quiet hours in a time zone of their own, a category and a type switched off for channels, a rule for new accounts, and a muted
person, thing and word each. The settings take turns, each lap on a fresh store.`,
  async run(context) {
    const settings: Setting[] = [
      ...(context.before === null ? [] : [{ label: 'before', module: context.before, withWishes: false }]),
      { label: 'without wishes', module: context.server.module, withWishes: false },
      { label: 'wishes', module: context.server.module, withWishes: true },
    ];
    const laps = new Map<Setting, Lap[]>(settings.map((setting) => [setting, []]));
    for (let round = 0; round < (context.quick ? 1 : 3); round++) {
      for (const [setting, done] of laps) {
        const lap = await measure(context, setting);
        context.say(`${setting.label}: ${Math.round(lap.perSecond)}/s, ${lap.cpu.totalUs} µs`);
        done.push(lap);
      }
    }
    return { figures: figuresOf(laps), notes: [...laps.values()].flat().flatMap(({ faults }) => faults) };
  },
};

async function measure(context: BenchContext, { label, module, withWishes }: Setting): Promise<Lap> {
  const { traceFile } = context;
  const lines = context.quick ? quickLines : Number.MAX_SAFE_INTEGER;
  const server = await ServerProcess.start({ ...context.server, module });
  try {
    if (withWishes) await sayWishes(server.port, await somePeople(traceFile, lines));
    const load = { traceFile, lines, skew: 'trace', recipientsMax: lines, batch: 100, listen: false } as const;
    const driver = await DriverProcess.open('carillon', { ...load, port: server.port });
    const pace = (ms: number) => ({ perSecond: null, durationMs: ms, connections: postsInFlight });
    await driver.run(pace(duration(context, 5000, 1000)));
    await untilApplied(server.port);
    const before = server.cpu();
    const began = performance.now();
    const run = await driver.run(pace(duration(context, 30_000, 3000)));
    await untilApplied(server.port);
    const seconds = (performance.now() - began) / 1000;
    const lap = { perSecond: run.sent / seconds, cpu: cpuPer(before, server.cpu(), run.sent) };
    await driver.close();
    // Nobody listens, so nothing is expected to arrive.
    return { ...lap, faults: faultsOf({ ...run, expected: 0 }, label) };
  } finally {
    await server.stop();
  }
}

function figuresOf(laps: ReadonlyMap<Setting, readonly Lap[]>): Figure[] {
  const settings = [...laps.keys()];
  const rate = (setting: Setting): number => spread((laps.get(setting) ?? []).map((lap) => lap.perSecond)).median;
  const [first] = settings as [Setting];
  const last = settings.at(-1) as Setting;
  return [
    ...settings.map((setting): Figure => {
      const own = laps.get(setting) as readonly [Lap, ...Lap[]];
      const values = own.map((lap) => lap.perSecond);
      return { label: setting.label, unit: 'events/s', values, cpu: own[0].cpu };
    }),
    {
      label: `${last.label} as a share of ${first.label}`,
      unit: '%',
      values: [(100 * rate(last)) / rate(first)],
      goal: { atLeast: 90 },
    },
  ];
}

/** One in ten of all recipients, in order of first mention. */
async function somePeople(traceFile: string, lines: number): Promise<string[]> {
  const people = new Set<string>();
  let read = 0;
  for await (const { line } of readTraceLines(traceFile)) {
    if (read++ >= lines) break;
    people.add(line.to);
  }
  return [...people].filter((_, at) => at % oneIn === 0);
}

const zones = ['Europe/Berlin', 'Asia/Kolkata', 'America/Sao_Paulo', 'Australia/Lord_Howe'];

function choicesOf(at: number): PreferenceChoices {
  const night = [{ from: '22:00', to: '07:30' }];
  return {
    timeZone: zones[at % zones.length] as string,
    categories: { reactions: { email: false } },
    types: { 'post.reposted': { push: false } },
    relations: { newAccounts: 'filter' },
    quietHours: { enabled: true, days: { mon: night, tue: night, wed: night, thu: night, fri: night } },
  };
}

async function sayWishes(port: number, people: readonly string[]): Promise<void> {
  const tokens = await devTokens(
    port,
    people.map((user) => ({ user })),
  );
  let next = 0;
  const work = async (): Promise<void> => {
    const connection = await HttpConnection.open(port);
    while (next < people.length) {
      const at = next++;
      const put = (path: string, body: unknown, more: Record<string, string> = {}) =>
        send(connection, path, body, { authorization: `Bearer ${tokens[at]}`, ...more });
      await put('/v1/notification-preferences', choicesOf(at), { 'if-none-match': '*' });
      for (const mute of [`actor/nobody-${at}`, `object/post:none-${at}`, 'word/spoiler']) {
        await put(`/v1/mutes/${mute}`, { until: null });
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

async function send(connection: HttpConnection, path: string, body: unknown, headers: Record<string, string>) {
  const head = requestHead('PUT', path, { 'content-type': 'application/json', ...headers });
  const answer = await connection.send(head, Buffer.from(JSON.stringify(body)));
  if (answer.status >= 300) throw new Error(`PUT ${path} answers ${answer.status}: ${answer.body.toString()}`);
}
