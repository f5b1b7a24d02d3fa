/**
 * `npm test`: types, style and tidiness, then every test beside the code. `npm test -- <pattern>…` runs only the test
 * files whose path contains one of the patterns, without the checks. Whatever fails, the rest still runs.
 *
 * Each test file runs in a process of its own and must end by itself: a handle left open fails it (open-handles.ts).
 * Suites that need more than Node (a browser, crashes, long fuzzing) have commands of their own.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CheckResult, runChecks } from './check.ts';
import { root } from './setup.mjs';
import type { TestCounts } from './test-counts.ts';

/** Longest time of one test. */
const testLimitMs = 120_000;
const filesAtOnce = 2;

const testFolders = '{contract,server,client,bench,scripts,test,examples}';
const ownCommands = /^test[\\/](browser|cluster|crash|fuzz)[\\/]/;

export function testFiles(patterns: readonly string[], folder = root): string[] {
  return globSync(`${testFolders}/**/*.test.{ts,mjs}`, {
    cwd: folder,
    exclude: (path) => /node_modules|peers/.test(path),
  })
    .filter((path) => !ownCommands.test(path))
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
    .sort();
}

/** Runs the files; `limitMs` for each test. Null counts: the runner itself did not come to its end. */
export async function runTests(
  files: readonly string[],
  limitMs = testLimitMs,
): Promise<{ ok: boolean; counts: TestCounts | null }> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-test-'));
  const countsPath = join(folder, 'counts.json');
  const args = [
    `--import=${new URL('./open-handles.ts', import.meta.url).href}`,
    '--test',
    `--test-timeout=${limitMs}`,
    `--test-concurrency=${filesAtOnce}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${new URL('./test-counts.ts', import.meta.url).href}`,
    `--test-reporter-destination=${countsPath}`,
    ...files,
  ];
  const code = await new Promise<number>((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', () => resolve(1));
    child.on('close', (status) => resolve(status ?? 1));
  });
  const counts = readCounts(countsPath);
  rmSync(folder, { recursive: true });
  return { ok: code === 0 && counts !== null, counts };
}

function readCounts(path: string): TestCounts | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as TestCounts;
  } catch {
    return null;
  }
}

/** The closing lines; the last one is `N passed, N failed`, where each check counts as one. */
export function summary(checks: readonly CheckResult[], counts: TestCounts | null): string {
  const lines = checks.map(({ name, findings }) => `${findings === '' ? '✔' : '✖'} ${name}`);
  const failedTests = counts === null ? 1 : counts.failed + counts.cancelled;
  if (counts === null) lines.push('✖ tests: the test runner did not finish');
  else lines.push(`${failedTests === 0 ? '✔' : '✖'} tests: ${counts.tests} run, ${counts.skipped} skipped`);
  const failedChecks = checks.filter(({ findings }) => findings !== '').length;
  const passed = checks.length - failedChecks + (counts?.passed ?? 0);
  return `${lines.join('\n')}\n\n${passed} passed, ${failedChecks + failedTests} failed`;
}

if (import.meta.main) {
  const patterns = process.argv.slice(2);
  const files = testFiles(patterns);
  if (files.length === 0) {
    console.error(`No test file matches ${patterns.join(', ')}.`);
    process.exit(1);
  }
  const checks = patterns.length === 0 ? await runChecks() : [];
  const { ok, counts } = await runTests(files);
  console.log(`\n${summary(checks, counts)}`);
  process.exitCode = ok && checks.every(({ findings }) => findings === '') ? 0 : 1;
}
