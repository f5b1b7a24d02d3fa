/**
 * `npm run test:fuzz [-- --url http://127.0.0.1:8080 --runs 5000 --seed 7 --examples 50]`: hostile requests of our own,
 * then Schemathesis (A7, R3). Without a URL it starts a server. Fails on any 5xx and on any answer that the OpenAPI
 * document does not name.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fuzzApi } from './fuzz-api.ts';
import { openTarget } from './fuzz-target.ts';
import { runSchemathesis } from './schemathesis.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    runs: { type: 'string', default: '5000' },
    examples: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});

const seed = Number(values.seed);
console.log(`Seed ${seed}`);
const target = await openTarget(values.url ?? null);
let passed = 0;
let failed = 0;
let skipped = 0;
try {
  const { requests, statuses } = await fuzzApi(target, Number(values.runs), seed);
  passed++;
  const counted = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.log(`Own fuzzer: ${requests} requests, every answer documented (${counted.join(', ')})`);
} catch (error) {
  failed++;
  const { message, cause } = error as Error;
  console.error(`Own fuzzer: ${message}`);
  if (cause instanceof Error) console.error(cause.message);
}
try {
  const run = runSchemathesis(target, Number(values.examples), seed);
  if (run.kind === 'missing') {
    skipped++;
    console.log(`Schemathesis did not run: ${run.why}`);
  } else if (run.ok) passed++;
  else failed++;
} finally {
  await target.stop();
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
