/** The code in README.md does what it says, against the service as `npm start` runs it. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../scripts/setup.mjs';

/** Starts the service on a free port with an empty folder. Rejects if it ends before it listens. */
async function start(dataDir: string): Promise<{ service: ChildProcess; port: number }> {
  const env = { ...process.env, PORT: '0', CARILLON_DATA: dataDir };
  const service = spawn(process.execPath, [join(root, 'server/src/main.ts')], { cwd: dataDir, env });
  const lines: string[] = [];
  service.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  for await (const line of createInterface(service.stdout)) {
    lines.push(line);
    const { event, port } = JSON.parse(line) as { event: string; port?: number };
    if (event === 'listening') return { service, port: port as number };
  }
  throw new Error(`The service did not start:\n${lines.join('\n')}`);
}

test('the example of README.md prints what its comment says, and the service stops when told', async () => {
  const [, code = '', printed = ''] =
    /```js\n([\s\S]*?\/\/ (.*)\n)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  assert.notEqual(printed, '');
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-readme-'));
  const { service, port } = await start(dataDir);
  try {
    service.stdout?.resume();
    const example = code.replace('127.0.0.1:8080', `127.0.0.1:${port}`);
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', example]);
    assert.equal(stdout.trim(), printed);
  } finally {
    service.kill('SIGTERM');
    const [exitCode] = await once(service, 'exit');
    rmSync(dataDir, { recursive: true });
    assert.equal(exitCode, 0);
  }
});
