import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readTraceEvents, readTraceLines, summarizeTrace } from './read-trace.ts';

const sample = new URL('../../examples/traces/higgs-sample.txt.gz', import.meta.url).pathname;
const text = 'src dst time\n1 2 100\r\n\n3 4 160\n';
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carillon-trace-'));
});
after(() => rm(folder, { recursive: true }));

test('plain and gzipped files read alike; line numbers are those of the file', async () => {
  const plain = join(folder, 'a.txt');
  const zipped = join(folder, 'a.txt.gz');
  await writeFile(plain, text);
  await writeFile(zipped, gzipSync(text));
  const expected = [
    { lineNumber: 2, line: { kind: 'message', from: '1', to: '2', timeMs: 100_000 } },
    { lineNumber: 4, line: { kind: 'message', from: '3', to: '4', timeMs: 160_000 } },
  ];
  assert.deepEqual(await Array.fromAsync(readTraceLines(plain)), expected);
  assert.deepEqual(await Array.fromAsync(readTraceLines(zipped)), expected);
  assert.deepEqual(await summarizeTrace(plain), { lines: 2, firstTimeMs: 100_000, lastTimeMs: 160_000 });
});

test('the last line is now', async () => {
  const plain = join(folder, 'b.txt');
  await writeFile(plain, text);
  const events = await Array.fromAsync(readTraceEvents(plain, { lastTimeMs: 160_000, nowMs: 1_000_000_000 }));
  assert.deepEqual(
    events.map((event) => Date.parse(event.time)),
    [999_940_000, 1_000_000_000],
  );
});

test('a missing file and a broken one throw', async () => {
  await assert.rejects(Array.fromAsync(readTraceLines(join(folder, 'none.gz'))), { code: 'ENOENT' });
  await assert.rejects(Array.fromAsync(readTraceLines(join(folder, 'none.txt'))), { code: 'ENOENT' });
  const broken = join(folder, 'broken.gz');
  await writeFile(broken, gzipSync('1 2 100\n'.repeat(1000)).subarray(0, 30));
  await assert.rejects(Array.fromAsync(readTraceLines(broken)), { code: 'Z_BUF_ERROR' });
});

test('the sample holds what its page says', async () => {
  assert.deepEqual(await summarizeTrace(sample), {
    lines: 20_000,
    firstTimeMs: 1_341_373_626_000,
    lastTimeMs: 1_341_379_800_000,
  });
  const kinds = { RT: 0, MT: 0, RE: 0, message: 0 };
  for await (const { line } of readTraceLines(sample)) if (line.to === '88') kinds[line.kind] += 1;
  assert.deepEqual(kinds, { RT: 2062, MT: 2296, RE: 119, message: 0 });
});
