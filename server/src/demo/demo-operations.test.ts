import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';
import type { Operation, OperationRequest } from '../api/operation.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { demoOperations } from './demo-operations.ts';

const folder = new URL('./', import.meta.url);
const clock = new VirtualClock();
let operations: Operation[] = [];

before(async () => {
  operations = await demoOperations(clock);
});

function get(path: string, params: object = {}) {
  const operation = operations.find((one) => one.path === path);
  assert.ok(operation !== undefined, path);
  return operation.handle({ params, query: {}, headers: {} } as unknown as OperationRequest);
}

test('the page comes with a policy that lets nothing in from elsewhere and nothing inline run', async () => {
  const { status, body, headers = {} } = await get('/demo');
  assert.equal(status, 200);
  assert.match(String(body), /<title>Carillon demo<\/title>/);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  const policy = headers['content-security-policy'] ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
});

test('everything the page refers to is served, and nothing else of the folder', async () => {
  const referred = new Set<string>();
  for (const name of await readdir(folder)) {
    if (!/\.(html|css|js)$/.test(name)) continue;
    const source = await readFile(new URL(name, folder), 'utf8');
    for (const [, file] of source.matchAll(/(?:"\/demo\/|from '\.\/|@import "|import '\.\/)([\w.-]+)["']/g)) {
      if (file !== undefined) referred.add(file);
    }
  }
  assert.ok(referred.size > 15, String(referred.size));
  for (const file of referred) assert.equal((await get('/demo/:file', { file })).status, 200, file);
  for (const file of ['demo-operations.ts', 'inbox-model.test.mjs', '../api/problem.ts', '..', 'none.js', '']) {
    await assert.rejects(get('/demo/:file', { file }), { code: 'CARILLON_ROUTE_UNKNOWN' }, file);
  }
});

test('user text cannot become markup: the modules use no sink that parses', async () => {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.js')) continue;
    const source = await readFile(new URL(name, folder), 'utf8');
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
  }
});

test('the trace is events whose last one is now', async () => {
  const { body, headers = {} } = await get('/demo/trace.ndjson');
  assert.equal(headers['content-type'], 'application/x-ndjson');
  const lines = (await text(body as Readable)).trimEnd().split('\n');
  assert.equal(lines.length, 20_000);
  const last = JSON.parse(lines.at(-1) ?? '') as { id: string; time: string };
  assert.equal(last.id, 'higgs-sample-20000');
  assert.equal(Date.parse(last.time), clock.now());
});
