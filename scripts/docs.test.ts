/** The pages of docs/ tell what the code does: their lists are the code's, and what they link to exists. */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { closeCodes } from '../contract/src/close-codes.ts';
import { errorCodes } from '../contract/src/error-codes.ts';
import { loadConfig } from '../server/src/base/config.ts';
import { generatedParts, withPart } from './docs.ts';
import { root } from './setup.mjs';

for (const { file, marker, render } of generatedParts) {
  test(`${file} lists the code's ${marker} (else: npm run docs)`, () => {
    const page = readFileSync(join(root, file), 'utf8');
    assert.equal(page, withPart(page, marker, render()));
  });
}

test('a part is replaced between its markers only', () => {
  assert.equal(
    withPart('a <!-- x:start -->old<!-- x:end --> b', 'x', 'new'),
    'a <!-- x:start -->\nnew\n<!-- x:end --> b',
  );
  assert.throws(() => withPart('no markers', 'x', 'new'), /no place/);
});

test('close codes lie in the ranges that tell a client what to do, and each once', () => {
  const numbers = Object.values(closeCodes);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.ok(numbers.every((number) => number >= 4000 && number < 4300));
});

test('error codes follow their form and say what to do next', () => {
  for (const [name, { status, title, next }] of Object.entries(errorCodes)) {
    assert.match(name, /^CARILLON(_[A-Z]+)+$/);
    assert.ok(status >= 400 && status < 600, name);
    assert.ok(title.length > 5 && next.length > 5, name);
  }
});

test('links between pages lead somewhere', () => {
  for (const page of globSync(['*.md', 'docs/**/*.md'], { cwd: root })) {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
    for (const [, target] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target as string)) continue;
      assert.ok(existsSync(join(root, dirname(page), target as string)), `${page} → ${target}`);
    }
  }
});

test('the examples of docs/CONFIG.md are configurations that start', () => {
  const page = readFileSync(join(root, 'docs/CONFIG.md'), 'utf8');
  const [embedded = '', cluster = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml]) => yaml);
  const folder = mkdtempSync(join(tmpdir(), 'carillon-docs-'));
  const secrets = { CARILLON_CURSOR_SECRET: 'a'.repeat(32), CARILLON_TOKEN_SECRET: 'b'.repeat(32) };
  const [ENCRYPTION_KEY, CARILLON_INDEX_KEY] = ['key', 'index'].map((name) =>
    Buffer.alloc(32, name).toString('base64'),
  );
  const env = {
    ...secrets,
    ENCRYPTION_KEY,
    CARILLON_INDEX_KEY,
    POSTS_KEY_HASH: '0'.repeat(64),
    KAFKA_PASSWORD: 'secret',
  };
  const load = (yaml: string) => {
    const file = join(folder, 'carillon.yaml');
    writeFileSync(file, yaml);
    return loadConfig({ env, file });
  };
  try {
    const config = load(embedded);
    assert.equal(config.mode, 'production');
    assert.equal(config.auth.producerKeys[0]?.expiresAt, '2027-01-01T00:00:00Z');
    // What both have in common is shown once.
    const auth = embedded.slice(embedded.indexOf('auth:'), embedded.indexOf('stream:'));
    assert.deepEqual(load(cluster + auth).roles, ['gateway', 'api']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
