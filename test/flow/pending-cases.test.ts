/** Every case is named by a test or listed in docs/PENDING-CASES.md; in both only with a word on what is tested already. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { caseList } from './case-list.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const subjects = new Set([
  'The same main job on Kafka, Cassandra and Redis',
  'Who hears what, when: preferences, windows, quiet hours, caps, audiences, content',
  'Push and email that arrive, once',
  'Client library and console',
  'Operations',
]);

interface Pending {
  readonly what: string;
  readonly subject: string;
  readonly left: string;
  readonly tested: string;
}

const pending = new Map<string, Pending>();
for (const line of readFileSync(`${root}docs/PENDING-CASES.md`, 'utf8').split('\n')) {
  const [, id = '', what = '', subject = '', left = '', tested = ''] = line.split('|').map((cell) => cell.trim());
  if (!/^BC-\d+$/.test(id)) continue;
  assert.ok(!pending.has(id), `${id} is listed twice`);
  pending.set(id, { what, subject, left, tested });
}

/** Cases named in tests, not in their comments. */
const named = new Set<string>();
for (const path of globSync('{contract,server,client,bench,scripts,test}/**/*.{test,contract}.{ts,mjs}', {
  cwd: root,
})) {
  if (/node_modules|pending-cases/.test(path)) continue;
  const code = readFileSync(root + path, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  for (const [id] of code.matchAll(/BC-\d+/g)) named.add(id);
}

describe('every case', () => {
  for (const [id, what] of Object.entries(caseList)) {
    test(`${id} (${what}) is named by a test, or pending`, () => {
      const entry = pending.get(id);
      if (entry === undefined) {
        assert.ok(named.has(id), 'neither');
        return;
      }
      assert.equal(entry.what, what);
      assert.ok(subjects.has(entry.subject), entry.subject);
      assert.notEqual(entry.left, '');
      assert.equal(entry.tested !== '', named.has(id), 'the last column says what is tested, if anything is');
    });
  }

  test('that is named or pending is one of the list', () => {
    for (const id of [...named, ...pending.keys()]) assert.ok(id in caseList, id);
  });
});
