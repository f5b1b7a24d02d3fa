/** What the command line takes, and the exit codes that supervisors and scripts go by: 0, 1 and 2. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

const nowhere = {
  KAFKA_BROKERS: '127.0.0.1:1',
  CASSANDRA_CONTACT_POINTS: '127.0.0.1:1',
  REDIS_URL: 'redis://someone:secret@127.0.0.1:1',
  POSTGRES_URL: 'postgres://someone:secret@127.0.0.1:1/carillon',
};

function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...nowhere },
  });
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

test('G2: what the cluster engine stands on and is not there is named, all at once, and ends with 1', () => {
  const { status, output } = run('check', '--engine', 'cluster');
  assert.equal(status, 1, output);
  for (const [name, service = name.toLowerCase()] of [
    ['Kafka'],
    ['Cassandra'],
    ['Redis'],
    ['PostgreSQL', 'postgres'],
  ] as const) {
    assert.match(output, new RegExp(`${name} does not answer at .*127.0.0.1:1 .*npm run services -- start ${service}`));
  }
  assert.doesNotMatch(output, /secret/);
});

test('a valid configuration of the embedded engine ends a check with 0', () => {
  const { status, output } = run('check');
  assert.equal(status, 0, output);
});

test('G3: data are moved from embedded to cluster, and from nowhere else', () => {
  assert.equal(run('move').status, 2);
  assert.equal(run('move', '--from', 'cluster', '--to', 'embedded').status, 2);
  const { status, output } = run('move', '--from', 'embedded', '--to', 'cluster', '--data-dir', '/no/such/folder');
  assert.equal(status, 1);
  assert.match(output, /holds no data of the embedded engine/);
});
