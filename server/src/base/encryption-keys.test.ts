import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encryptionKeys } from './encryption-keys.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'carillon-keys-'));
after(() => rm(dataDir, { recursive: true }));

test('development mode makes keys once, for its own eyes, and they can go into a configuration as they are', async () => {
  const none = { encryption: { keys: [] }, dataDir };
  const [first, again] = await Promise.all([encryptionKeys(none), encryptionKeys(none)]);
  assert.deepEqual(first, again);
  assert.deepEqual(await encryptionKeys(none), first);
  const file = join(dataDir, 'development-encryption-keys.json');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const encryption = JSON.parse(await readFile(file, 'utf8'));
  assert.deepEqual(await encryptionKeys({ encryption, dataDir: '/nowhere' }), first);
  assert.deepEqual([first.masters[0]?.key.length, first.index.length], [32, 32]);
});
