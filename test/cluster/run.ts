/**
 * `npm run test:cluster`: the test files below test/cluster against real Kafka, Cassandra, Redis and PostgreSQL, which it
 * starts and stops unless their addresses are set or they run already. `-- <pattern>…` runs only files whose path contains a pattern.
 * The last line is `N passed, N failed`.
 */
import { globSync } from 'node:fs';
import { ServiceError } from '../../scripts/services/service.ts';
import { root } from '../../scripts/setup.mjs';
import { runTests, summary } from '../../scripts/test.ts';
import { type ClusterService, startServices, stopServices } from './services.ts';

/** Longest time of one test: some start a whole cluster of processes several times. */
const testLimitMs = 300_000;

const patterns = process.argv.slice(2);
const files = globSync('test/cluster/**/*.test.ts', { cwd: root })
  .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
  .sort();
process.exitCode = (await run()) ? 0 : 1;

async function run(): Promise<boolean> {
  if (files.length === 0) {
    console.error(`No test file matches ${patterns.join(', ')}.`);
    return false;
  }
  let started: readonly ClusterService[];
  try {
    started = await startServices();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    console.error(error.message);
    console.log('\n0 passed, 1 failed');
    return false;
  }
  try {
    // Files drop keyspaces and topics when they end, and stop servers of their own.
    process.env.OPEN_HANDLES_GRACE_MS = '60000';
    const { ok, counts } = await runTests(files, testLimitMs);
    console.log(`\n${summary([], counts)}`);
    return ok;
  } finally {
    await stopServices(started);
  }
}
