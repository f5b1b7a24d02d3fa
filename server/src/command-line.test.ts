/** What the command line takes, and the exit codes that supervisors and scripts go by: 0, 1 and 2. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

test('help and version are answered and end with 0', () => {
  const help = run('--help');
  assert.equal(help.status, 0);
  assert.match(help.output, /start/);
  assert.match(run('start', '--help').output, /--engine/);
  assert.match(run('--version').output, /^\d+\.\d+\.\d+\n$/);
});

test('a flag, command or value that is not known ends with 2 and says which', () => {
  for (const [args, words] of [
    [['--nope'], /--nope/],
    [['stort'], /stort/],
    [['start', '--engine', 'none'], /engine: /],
    [['--roles', 'shard'], /roles: .*engine: cluster/],
    [['--config', '/no/such/file.yaml'], /no\/such\/file/],
  ] as const) {
    const { status, output } = run(...args);
    assert.equal(status, 2, output);
    assert.match(output, words);
  }
});
