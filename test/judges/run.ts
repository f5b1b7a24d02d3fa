/**
 * `npm run test:judges`: what Carillon sends, judged by what nobody here wrote: `*.judge.ts` below test/judges.
 * `-- <pattern>…` runs only files whose path contains a pattern. Their packages are large and not needed to start, so they
 * lie apart, in test/judges/node_modules, with a lock file of their own, and the files are checked apart.
 * The last line is `N passed, N failed`.
 */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { differenceFrom, readOr, root } from '../../scripts/setup.mjs';
import { runTests, summary } from '../../scripts/test.ts';

/** Longest time of one test: some start a server in Java. */
const testLimitMs = 120_000;

const folder = join(root, 'test/judges');
const patterns = process.argv.slice(2);
const files = globSync('test/judges/**/*.judge.ts', { cwd: root, exclude: ['**/node_modules'] })
  .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
  .sort();
process.exitCode = (await run()) ? 0 : 1;

async function run(): Promise<boolean> {
  if (files.length === 0) {
    console.error(`No file of a judge matches ${patterns.join(', ')}.`);
    return false;
  }
  installPackages();
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', folder], {
    stdio: 'inherit',
  });
  const { ok, counts } = await runTests(files, testLimitMs);
  console.log(`\n${summary([], counts)}`);
  return ok;
}

function installPackages(): void {
  const lockText = readOr(join(folder, 'package-lock.json'), '');
  const reason = differenceFrom(lockText, readOr(join(folder, 'node_modules/.package-lock.json'), ''));
  if (reason === null) return;
  console.error(`judges: ${reason}, installing`);
  execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: 'inherit' });
}
