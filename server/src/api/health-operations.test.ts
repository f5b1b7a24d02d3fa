import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthOperations } from './health-operations.ts';
import type { Answer, Operation, OperationRequest } from './operation.ts';

const anyone = { principal: null, headers: {}, remoteAddress: '', requestId: 'r_1', params: {}, query: {}, body: null };

function ask(operations: readonly Operation[], path: string): Promise<Answer> {
  const operation = operations.find((candidate) => candidate.path === path) as Operation;
  return operation.handle(anyone as OperationRequest);
}

test('M4: ready names every check, and fails with the first that does', async () => {
  let stalled: string | null = null;
  const operations = healthOperations(
    {
      checks: [
        { name: 'store', check: () => null },
        { name: 'consumption', check: () => stalled },
      ],
    },
    () => '',
  );
  assert.deepEqual(await ask(operations, '/readyz'), {
    status: 200,
    body: {
      status: 'ready',
      checks: [
        { name: 'store', ready: true, detail: null },
        { name: 'consumption', ready: true, detail: null },
      ],
    },
  });
  stalled = 'Nothing moves.';
  const answer = await ask(operations, '/readyz');
  assert.equal(answer.status, 503);
  assert.deepEqual(answer.body, {
    status: 'notReady',
    checks: [
      { name: 'store', ready: true, detail: null },
      { name: 'consumption', ready: false, detail: 'Nothing moves.' },
    ],
  });
});

test('M4: live stays live whatever the checks say', async () => {
  const operations = healthOperations({ checks: [{ name: 'store', check: () => 'Broken.' }] }, () => '');
  assert.deepEqual(await ask(operations, '/livez'), { status: 200, body: { status: 'live' } });
});

test('M1: metrics are the rendered text in the Prometheus media type', async () => {
  const operations = healthOperations({ checks: [] }, async () => 'carillon_up 1\n');
  assert.deepEqual(await ask(operations, '/metrics'), {
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: 'carillon_up 1\n',
  });
});
