/** What runs on one engine only is named here and counted, so that nothing gets lost between the two. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files about the embedded engine's disk, about development mode on one machine, and about the tests themselves. */
const embeddedFiles = ['full-disk', 'no-secrets', 'commands', 'pending-cases', 'both-engines'];
/** Tests in the other files that are about that disk: a copied store folder, and a second process on one folder. */
const embeddedTests = 2;

const flows = globSync('test/flow/*.test.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));

test('every case of the whole service runs on a cluster too, unless it is named', () => {
  for (const path of flows) {
    const name = /([^/]+)\.test\.ts$/.exec(path)?.[1] ?? '';
    assert.equal(existsSync(`${root}test/cluster/flow/${name}.test.ts`), !embeddedFiles.includes(name), name);
  }
});

test('no more tests are left out on a cluster than are counted', () => {
  const code = flows.filter((path) => !path.includes('both-engines')).map((path) => readFileSync(root + path, 'utf8'));
  assert.equal(code.join('').match(/^ +embeddedOnly,$|, embeddedOnly, (async )?\(/gm)?.length, embeddedTests);
});
