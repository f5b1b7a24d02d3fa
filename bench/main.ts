/**
 * `npm run bench -- [names…] [--quick] [--json FILE] [--rows N] [--trace FILE] [--server MAIN] [--before MAIN]`: measures, prints, writes docs/PERFORMANCE.md.
 * `--server` names the `main.ts` of another checkout, to compare two revisions; then nothing is written.
 * `--before` names one that `policies` compares with in the same run.
 * `--rows` is how many rows the pipeline's store holds before it is measured, 3,000,000 unless told.
 * Without names all run but `cluster` and `peers`, which need other software. A quick run never replaces a full figure on the page.
 */
import { existsSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cluster } from './cluster.ts';
import { exact } from './exact.ts';
import { fanout } from './fanout.ts';
import { inbox } from './inbox.ts';
import { intake } from './intake.ts';
import { commitId, machineLine } from './lib/machine.ts';
import type { Bench, BenchContext, BenchResult } from './lib/result.ts';
import { mail } from './mail.ts';
import { outward } from './outward.ts';
import { peers } from './peers.ts';
import { pipeline } from './pipeline.ts';
import { policies } from './policies.ts';
import { push } from './push.ts';
import { printResult, writeReport } from './report.ts';
import { sockets } from './sockets.ts';
import { start } from './start.ts';

const benches: readonly Bench[] = [
  start,
  intake,
  pipeline,
  policies,
  outward,
  inbox,
  fanout,
  sockets,
  push,
  mail,
  exact,
  cluster,
  peers,
];
/** Those that need other software run when they are named. */
const byDefault = benches.filter((bench) => bench !== peers && bench !== cluster);
const traceFiles = ['../var/data/higgs-activity_time.txt.gz', '../examples/traces/higgs-sample.txt.gz'];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      rows: { type: 'string', default: '3000000' },
      trace: { type: 'string' },
      server: { type: 'string' },
      before: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
  if (values.help) return usage(null);
  if (unknown.length > 0) return usage(`unknown: ${unknown.join(', ')}`);
  const chosen = positionals.length === 0 ? byDefault : benches.filter((bench) => positionals.includes(bench.name));
  const rows = Number(values.rows);
  if (!Number.isSafeInteger(rows) || rows < 1)
    return usage(`--rows must be a whole number above 0, not ${values.rows}`);
  const context: BenchContext = {
    quick: values.quick,
    storeRows: values.quick ? 1 : rows,
    traceFile: traceFile(values.trace),
    before: values.before ?? null,
    server: { module: values.server ?? 'server/src/main.ts', readyPath: '/readyz' },
    say,
  };
  const results: BenchResult[] = [];
  let failed = 0;
  for (const bench of chosen) {
    try {
      const result = await measure(bench, context);
      printResult(result);
      results.push(result);
      // After each, so that a long run which is interrupted keeps what it has; another checkout's figures are not ours.
      if (values.server === undefined) writeReport([result]);
    } catch (error) {
      failed++;
      process.stderr.write(`${bench.name} failed: ${error instanceof Error ? error.stack : error}\n`);
    }
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  return failed === 0 ? 0 : 1;
}

async function measure(bench: Bench, context: BenchContext): Promise<BenchResult> {
  process.stdout.write(`\n${bench.title}\n`);
  const { figures, notes, footprint } = await bench.run(context);
  const { name, title, how } = bench;
  const traceNote = context.traceFile.includes('sample')
    ? ['Measured with the sample of the trace, not the whole.']
    : [];
  return {
    bench: name,
    title,
    how,
    quick: context.quick,
    date: new Date(performance.timeOrigin + performance.now()).toISOString(),
    machine: machineLine(os.tmpdir()),
    commit: commitId(),
    figures,
    notes: [...notes, ...traceNote],
    ...(footprint && { footprint }),
  };
}

function traceFile(given: string | undefined): string {
  const wanted = given ?? process.env.CARILLON_TRACE;
  if (wanted !== undefined) return wanted;
  const found = traceFiles
    .map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error('no trace: give one with --trace FILE');
  return found;
}

function usage(complaint: string | null): number {
  const out = complaint === null ? process.stdout : process.stderr;
  if (complaint !== null) out.write(`${complaint}\n`);
  out.write(
    'npm run bench -- [names…] [--quick] [--json FILE] [--rows N] [--trace FILE] [--server MAIN] [--before MAIN]\n',
  );
  for (const bench of benches) out.write(`  ${bench.name.padEnd(10)} ${bench.title}\n`);
  return complaint === null ? 0 : 2;
}

const say = (line: string): void => void process.stdout.write(`  ${line}\n`);

process.exitCode = await main();
