/**
 * From measured results to the terminal, docs/PERFORMANCE.md and the README's table. The latest full result of each
 * bench is kept in bench/results.json, so that running one bench leaves the others' figures on the page.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { capacityText } from './lib/capacity.ts';
import { type BenchResult, type Figure, verdict } from './lib/result.ts';
import { spread } from './lib/statistics.ts';

const place = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const resultsFile = place('./results.json');
/** Why goals are missed, with profiles: written by hand, for the end of the page. */
const findingsFile = place('./findings.md');
const pageFile = place('../docs/PERFORMANCE.md');
const readmeFile = place('../README.md');
const readmeMarks = ['<!-- bench:start -->', '<!-- bench:end -->'] as const;

/** N1: peaks to provision for, today's and ten times that. */
const capacityLoads = [25_000, 200_000];

export function printResult(result: BenchResult): void {
  for (const figure of result.figures) {
    const cells = [
      figure.label,
      valueText(figure),
      goalText(figure),
      limitText(figure),
      cpuText(figure),
      figure.note ?? '',
    ];
    process.stdout.write(`  ${cells.filter((cell) => cell !== '' && cell !== '–').join(' · ')}\n`);
  }
  for (const note of result.notes) process.stdout.write(`  ${note}\n`);
}

export function writeReport(fresh: readonly BenchResult[]): void {
  const results = new Map(readResults().map((result) => [result.bench, result]));
  for (const result of fresh) {
    const old = results.get(result.bench);
    if (old === undefined || old.quick || !result.quick) results.set(result.bench, result);
    else process.stdout.write(`  (the page keeps the full figures of ${old.date.slice(0, 10)})\n`);
  }
  const all = [...results.values()];
  writeFileSync(resultsFile, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(pageFile, pageOf(all));
  updateReadme(all);
}

function readResults(): BenchResult[] {
  return existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : [];
}

function pageOf(results: readonly BenchResult[]): string {
  return `# Performance

Written by \`npm run bench\`: do not edit. Each figure stands beside its raw limit, measured in the same run, and its goal; values are the median of the rounds, with the lowest and highest in brackets where
there were several. CPU is the server's own (all its threads and children), in microseconds per unit of work; the load generator and all clients run in a process of their own on the same machine. A result marked *quick* is a smoke run of a few seconds, not a measurement.

To read them: everything goes over loopback, so a socket write includes the receiver's share of the kernel's work. Syncs are real (\`fdatasync\`), but what the disk below a virtual machine does with them cannot be seen from inside.
Where other processes used the machine during a run, the remarks say how much. "Full speed" is a closed loop and shows the rate; latencies are those of the open loops, from each post's scheduled time, so that a stall counts for every event it delays.

    npm run bench                      # everything but cluster and peers; about half an hour
    npm run bench -- pipeline          # one bench
    npm run bench -- --quick           # all of those for a few seconds each
    npm run bench -- cluster           # needs Java 17, Maven, Redis and PostgreSQL: it starts servers of its own
    npm run bench -- peers             # needs redis-server, postgresql, and Go for Centrifugo

${results.map(sectionOf).join('\n')}
${readFileSync(findingsFile, 'utf8')}`;
}

function sectionOf(result: BenchResult): string {
  const rows = result.figures.map((figure) => `| ${cellsOf(figure).join(' | ')} |`);
  const notes = result.notes.map((note) => `- ${note.replaceAll('\n', ' ')}`);
  return `## ${result.title}${result.quick ? ' (quick)' : ''}

${result.how}

Measured ${result.date.slice(0, 10)} at commit ${result.commit} on ${result.machine}.

| figure | measured | goal | raw limit | ours / limit | CPU | remark |
|---|---|---|---|---|---|---|
${rows.join('\n')}

${notes.join('\n')}${notes.length > 0 ? '\n' : ''}${result.footprint === undefined ? '' : `\n${capacityText(result.footprint, capacityLoads)}`}`;
}

function cellsOf(figure: Figure): string[] {
  const { limit } = figure;
  return [
    figure.label,
    valueText(figure),
    goalText(figure),
    limit === undefined ? '–' : `${limit.label}: ${spreadText(limit.values)}`,
    ratioText(figure),
    cpuText(figure),
    figure.note ?? '',
  ];
}

const valueText = (figure: Figure): string => `${spreadText(figure.values)} ${figure.unit}`;

function goalText(figure: Figure): string {
  const { goal } = figure;
  if (goal === undefined) return '–';
  const wanted = goal.atLeast === undefined ? `≤ ${number(goal.atMost ?? 0)}` : `≥ ${number(goal.atLeast)}`;
  return `${wanted}: ${verdict(spread(figure.values).median, goal)}`;
}

function limitText(figure: Figure): string {
  return figure.limit === undefined
    ? '–'
    : `${figure.limit.label} ${spreadText(figure.limit.values)} (${ratioText(figure)})`;
}

/** Round by round, for neighbours in time saw the same machine. */
function ratioText(figure: Figure): string {
  if (figure.limit === undefined) return '–';
  const ratios = figure.values.map((value, i) => (100 * value) / (figure.limit?.values[i] ?? Number.NaN));
  const known = ratios.filter(Number.isFinite);
  return known.length === 0 ? '–' : `${spreadText(known)} %`;
}

function cpuText(figure: Figure): string {
  if (figure.cpu === undefined) return '–';
  const threads = Object.entries(figure.cpu.threads).map(([name, us]) => `${name} ${us}`);
  return `${figure.cpu.totalUs} µs${threads.length > 1 ? ` (${threads.join(', ')})` : ''}`;
}

function spreadText(values: readonly number[]): string {
  const { median, min, max } = spread(values);
  return values.length === 1 ? number(median) : `${number(median)} (${number(min)}–${number(max)})`;
}

function number(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Math.round(value * 100) / 100);
}

/** The figures with a goal, without their remarks; only full results are shown to newcomers. */
function updateReadme(results: readonly BenchResult[]): void {
  const full = results.filter((result) => !result.quick);
  if (full.length === 0 || !existsSync(readmeFile)) return;
  const readme = readFileSync(readmeFile, 'utf8');
  const [start, end] = [readme.indexOf(readmeMarks[0]), readme.indexOf(readmeMarks[1])];
  if (start < 0 || end < start) return;
  const rows = full.flatMap((result) =>
    result.figures
      .filter((figure) => figure.goal !== undefined)
      .map((figure) => `| ${figure.label} | ${valueText(figure)} | ${goalText(figure)} |`),
  );
  const machines = [...new Set(full.map((result) => result.machine))].join('; ');
  const table = `| figure | measured | goal |\n|---|---|---|\n${rows.join('\n')}\n\nOn ${machines}; load generator on the same machine.`;
  writeFileSync(readmeFile, `${readme.slice(0, start + readmeMarks[0].length)}\n${table}\n${readme.slice(end)}`);
}
