/** A test file that leaves something open fails by itself and says what; one that closes everything passes. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const preload = new URL('./open-handles.ts', import.meta.url).href;

function run(file: string): Promise<{ failed: boolean; output: string }> {
  const args = [`--import=${preload}`, '--test', '--test-reporter=tap', file];
  // The runner tells its children by this variable that they are; this one is on its own.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve) =>
    execFile(process.execPath, args, { env }, (error, stdout) => resolve({ failed: error !== null, output: stdout })),
  );
}

test('a handle left open fails the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-handles-'));
  try {
    const passing = "import { test } from 'node:test';\ntest('passes', () => {});\n";
    const open = join(folder, 'open.test.mjs');
    writeFileSync(open, `${passing}setInterval(() => {}, 1000);\n`);
    const closed = join(folder, 'closed.test.mjs');
    writeFileSync(closed, passing);
    const [left, clean] = await Promise.all([run(open), run(closed)]);
    assert.ok(left.failed);
    assert.match(left.output, /Left open after the last test: .*Timeout/);
    assert.ok(!clean.failed, clean.output);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
