import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DriverProcess } from '../lib/driver-process.ts';
import { faultsOf } from '../lib/measured-run.ts';
import { ServerProcess } from '../lib/server-process.ts';

const traceFile = fileURLToPath(new URL('../../examples/traces/higgs-sample.txt.gz', import.meta.url));
const plan = { traceFile, lines: 3000, skew: 'trace', recipientsMax: 400, batch: 100, listen: true } as const;

async function runAgainst(fault: string, triesMax = 120): Promise<Awaited<ReturnType<DriverProcess['run']>>> {
  const module = 'bench/lib/stand-in-server.ts';
  const server = await ServerProcess.start({ module, readyPath: '/readyz', environment: { FAULT: fault } });
  let driver: DriverProcess | null = null;
  try {
    driver = await DriverProcess.open('carillon', { ...plan, port: server.port });
    return await driver.run({
      perSecond: 10_000,
      durationMs: 700,
      connections: 4,
      silenceMs: 300,
      onOverload: { triesMax, waitMs: 2 },
    });
  } finally {
    await driver?.close();
    await server.stop();
  }
}

test('every counted event of several laps is delivered once, and nothing else', async () => {
  const run = await runAgainst('none');
  assert.ok(run.sent >= 6900 && run.sent <= 7200, `sent ${run.sent}`);
  assert.ok(run.expected < run.sent && run.expected > run.sent / 2, `expected ${run.expected} of ${run.sent}`);
  assert.deepEqual([run.delivered, run.strays, run.cut, run.refused], [run.expected, 0, 0, {}]);
  assert.equal(run.latency.count, run.delivered);
});

test('a lost event and one told twice are both noticed', async () => {
  const [lossy, noisy] = [await runAgainst('lose'), await runAgainst('double')];
  assert.ok(lossy.delivered < lossy.expected, `${lossy.delivered} of ${lossy.expected}`);
  assert.ok(noisy.strays > 0);
});

test('what is refused for overload comes again until it is taken, and is told', async () => {
  const run = await runAgainst('busy');
  assert.ok(run.again > 0);
  assert.deepEqual([run.delivered, run.strays, run.refused], [run.expected, 0, {}]);
  assert.match(faultsOf(run, 'busy').join(), /refused for overload and sent again/);
});

test('a target that stays overloaded ends the tries, and its refusals are counted', async () => {
  const run = await runAgainst('closed', 2);
  assert.equal(run.delivered, 0);
  assert.ok((run.refused['202 CARILLON_OVERLOADED'] ?? 0) > 0);
});
