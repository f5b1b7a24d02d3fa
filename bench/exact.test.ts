import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exact } from './exact.ts';

const traceFile = fileURLToPath(new URL('../examples/traces/higgs-sample.txt.gz', import.meta.url));

async function shareOfEqualRows(fault: string): Promise<number> {
  const module = fileURLToPath(new URL('./lib/stand-in-server.ts', import.meta.url));
  const server = { module, readyPath: '/readyz', environment: { FAULT: fault } };
  const { figures } = await exact.run({
    quick: false,
    storeRows: 0,
    before: null,
    traceFile,
    server,
    say: () => undefined,
  });
  return figures[0]?.values[0] ?? 0;
}

test('rows that follow D4 and D5 all equal the plain count; with lost events they do not', async () => {
  assert.equal(await shareOfEqualRows('none'), 100);
  assert.ok((await shareOfEqualRows('lose')) < 100);
});
