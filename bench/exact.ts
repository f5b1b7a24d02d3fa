/** The whole trace through the service, then the rows of the people with most reposts against a plain count. */
import type { Event } from '@carillon/contract/event.ts';
import { readTraceEvents, summarizeTrace } from '../scripts/trace/read-trace.ts';
import { devTokens } from './driver/target-carillon.ts';
import { readAllRows, untilApplied } from './lib/inbox-client.ts';
import { postEvents } from './lib/post-events.ts';
import { RepostGroups } from './lib/repost-groups.ts';
import type { Bench, BenchContext } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';

const quickLines = 20_000;
const peopleCompared = 20;
/** Distinct people are exact up to here, a flagged estimate above (D5). */
const exactPeopleMax = 10_000;
const reposts = 'type=post.reposted';

export const exact: Bench = {
  name: 'exact',
  title: 'Exactness: the whole trace against a plain count',
  how: `Every line of the trace in order over one connection; then, for user 88 and the ${peopleCompared - 1} others with most reposts, each row of \`post.reposted\` is compared with the
distinct people counted from the file, groups closed 24 h after their first event and repeats within 24 h left out. A row above ${exactPeopleMax} people is a flagged estimate by design and compared apart.`,
  async run(context) {
    const oracle = new Map<string, RepostGroups>();
    const server = await ServerProcess.start(context.server);
    try {
      const [producer = ''] = await devTokens(server.port, [{ source: 'trace' }]);
      const began = performance.now();
      const sent = await postEvents(server.port, producer, observed(context, oracle));
      const seconds = (performance.now() - began) / 1000;
      context.say(`${sent} events in ${seconds.toFixed(1)} s`);
      await untilApplied(server.port);
      const people = busiest(oracle);
      const compared = await compareAll(server.port, people, oracle);
      const notes = compared.differing.slice(0, 5).map((text) => `**differs: ${text}**`);
      return {
        figures: [
          {
            label: 'rows that equal the plain count',
            unit: '%',
            values: [(100 * compared.equal) / Math.max(1, compared.rows)],
            goal: { atLeast: 100 },
            note: `${compared.equal} of ${compared.rows} exact rows of ${people.length} people; ${sent} events sent one batch at a time in ${seconds.toFixed(1)} s`,
          },
          {
            label: 'largest error of a flagged estimate',
            unit: '%',
            values: [compared.estimateError],
            note: `${compared.estimates} rows above ${exactPeopleMax} people`,
          },
        ],
        notes: [...notes, `User 88: ${compared.texts[0] ?? 'not in these lines'}.`],
      };
    } finally {
      await server.stop();
    }
  },
};

async function* observed(context: BenchContext, oracle: Map<string, RepostGroups>): AsyncGenerator<Event> {
  const linesMax = context.quick ? quickLines : Number.POSITIVE_INFINITY;
  const { lastTimeMs } = await summarizeTrace(context.traceFile, linesMax);
  let lines = 0;
  for await (const event of readTraceEvents(context.traceFile, { lastTimeMs, nowMs: lastTimeMs })) {
    if (lines++ >= linesMax) return;
    if (event.type === 'post.reposted' && 'user' in event.to && event.actor?.id !== event.to.user) {
      const groups = oracle.get(event.to.user) ?? new RepostGroups();
      groups.add(event);
      oracle.set(event.to.user, groups);
    }
    yield event;
  }
}

/** User 88 first where present, then by people reached. */
function busiest(oracle: Map<string, RepostGroups>): string[] {
  const total = (groups: RepostGroups): number => groups.counts().reduce((a, b) => a + b, 0);
  const names = [...oracle].toSorted((a, b) => total(b[1]) - total(a[1])).map(([user]) => user);
  return [...(oracle.has('88') ? ['88'] : []), ...names.filter((user) => user !== '88')].slice(0, peopleCompared);
}

interface Compared {
  equal: number;
  rows: number;
  estimates: number;
  estimateError: number;
  readonly differing: string[];
  readonly texts: string[];
}

async function compareAll(
  port: number,
  people: readonly string[],
  oracle: Map<string, RepostGroups>,
): Promise<Compared> {
  const result: Compared = { equal: 0, rows: 0, estimates: 0, estimateError: 0, differing: [], texts: [] };
  const tokens = await devTokens(
    port,
    people.map((user) => ({ user })),
  );
  for (const [i, user] of people.entries()) {
    const expected = oracle.get(user)?.counts() ?? [];
    const rows = await readAllRows(port, tokens[i] ?? '', reposts);
    const byBegin = rows.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
    const shown = byBegin.map((row) => (row.actorCountIsEstimate ? `~${row.actorCount}` : `${row.actorCount}`));
    result.texts.push(`rows show ${shown.join(', ')}; a plain count gives ${expected.join(', ')}`);
    compareRows(result, `user ${user}`, expected, byBegin);
  }
  return result;
}

type Row = { readonly actorCount: number; readonly actorCountIsEstimate: boolean };

function compareRows(result: Compared, who: string, expected: readonly number[], rows: readonly Row[]): void {
  if (rows.length !== expected.length) result.differing.push(`${who} has ${rows.length} rows, not ${expected.length}`);
  expected.forEach((people, i) => {
    const row = rows[i];
    if (row !== undefined && people > exactPeopleMax && row.actorCountIsEstimate) {
      result.estimates++;
      result.estimateError = Math.max(result.estimateError, Math.abs(100 * (row.actorCount / people - 1)));
      return;
    }
    result.rows++;
    if (row?.actorCount === people && !row.actorCountIsEstimate) result.equal++;
    else result.differing.push(`${who}, group ${i}: ${row?.actorCount ?? 'no row'} where ${people} are right`);
  });
}
