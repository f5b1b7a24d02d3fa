/** What the command line takes, and the exit codes that supervisors and scripts go by: 0, 1 and 2. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

function inFolder(files: Record<string, string>, work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-cli-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('C1: mistakes of the catalogue are named by file and line, all at once, and end a check and a start with 2', () => {
  const config = (folder: string): string => JSON.stringify({ content: { typeFiles: [folder] } });
  inFolder({ 'shop.yaml': 'types:\n  shop.sold:\n    lane: fast\n  shop.b: { lane: bulk }\n' }, (folder) => {
    writeFileSync(join(folder, 'carillon.json'), config(join(folder, 'shop.yaml')));
    for (const command of ['check', 'start']) {
      const { status, output } = run(command, '--config', join(folder, 'carillon.json'));
      assert.equal(status, 2, output);
      assert.match(output, /shop\.yaml:3:5: types\.shop\.sold\.lane: .* \(schema\)/);
      assert.match(output, /shop\.yaml:4:3: types\.shop\.b: A new type needs `category`\. \(schema\)/);
    }
  });
});

test('E8: what would break is named and ends a check with 1, until it is released', () => {
  inFolder({ 'shop.yaml': 'types:\n  shop.sold: { category: shop, lane: bulk }\n' }, (folder) => {
    const content = { typeFiles: [join(folder, 'shop.yaml')], releasedTypes: join(folder, 'released.json') };
    writeFileSync(join(folder, 'carillon.json'), JSON.stringify({ content }));
    const check = (...args: string[]) => run('check', '--config', join(folder, 'carillon.json'), ...args);
    assert.equal(check('--release').status, 0);
    writeFileSync(join(folder, 'shop.yaml'), 'types:\n  shop.sold: { category: shop, lane: direct }\n');
    const broken = check();
    assert.equal(broken.status, 1, broken.output);
    assert.match(broken.output, /shop\.sold: `lane` was bulk and is direct: .* \(records\)/);
    assert.equal(check('--release').status, 0);
    assert.equal(check().status, 0);
  });
});

test('a preview shows what a type reads like, for people and for programs', () => {
  const shown = run('preview', '--type', 'post.liked', '--locale', 'de-AT', '--channel', 'email');
  assert.equal(shown.status, 0, shown.output);
  assert.match(shown.output, /7 people\n {2}Ana, Bo und 5 weitere Personen haben deinen Beitrag „My trip“/);
  const { samples } = JSON.parse(run('preview', '--type', 'security.alert', '--json').output);
  assert.deepEqual(
    samples.map(({ body }: { body: string }) => body),
    ['My trip'],
  );
  assert.equal(run('preview', '--type', 'no.such').status, 1);
  assert.equal(run('preview', '--type', 'post.liked', '--channel', 'fax').status, 2);
});
