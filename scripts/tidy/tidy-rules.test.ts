/** Every rule finds a violation planted for it, and leaves the right thing alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misnamed } from './misnamed.ts';
import { adapterImports, isAdapter, parseImportTable, tableCircles, wrongImports } from './rooms.ts';
import { sourceFile } from './source-file.ts';
import { unusedLimits, unusedNames } from './unused-limits.ts';
import { leftovers, missingHead, worldlyWords } from './words.ts';

const table = parseImportTable(
  '<!-- imports:start -->\n| Room | May import from |\n|---|---|\n| `log` | |\n| `inbox` | `log` |\n<!-- imports:end -->',
);

const importing = (path: string, specifier: string) => sourceFile(path, `import { x } from '${specifier}';`);

test('imports must follow contract ← base ← stage and the table', () => {
  const wrong: [string, string][] = [
    ['contract/src/a.ts', '../../server/src/base/b.ts'],
    ['server/src/base/a.ts', '../log/b.ts'],
    ['server/src/log/a.ts', '../inbox/b.ts'],
    ['server/src/inbox/a.ts', '../app.ts'],
    ['server/src/inbox/deep/a.ts', '../../embedded/b.ts'],
    ['server/src/attic/a.ts', '../base/b.ts'],
  ];
  for (const [path, specifier] of wrong) {
    assert.equal(wrongImports(importing(path, specifier), table).length, 1, `${path} → ${specifier}`);
  }
  const right: [string, string][] = [
    ['server/src/base/a.ts', '@carillon/contract/b.ts'],
    ['server/src/inbox/a.ts', '../log/b.ts'],
    ['server/src/inbox/a.ts', './b.ts'],
    ['server/src/inbox/a.ts', 'fastify'],
    ['server/src/log/a.test.ts', '../inbox/b.ts'],
    ['server/src/app.ts', './inbox/b.ts'],
    ['server/src/embedded/a.ts', '../inbox/b.ts'],
  ];
  for (const [path, specifier] of right) {
    assert.deepEqual(wrongImports(importing(path, specifier), table), [], `${path} → ${specifier}`);
  }
});

test('every way to import is seen, with its line', () => {
  const ways = [
    "import '../inbox/b.ts'",
    "import type { B } from '../inbox/b.ts'",
    "export { b } from '../inbox/b.ts'",
    "await import('../inbox/b.ts')",
    "new Worker(new URL('../inbox/b.ts', import.meta.url))",
    "import {\n  b,\n} from '../inbox/b.ts'",
  ];
  for (const way of ways) {
    const [finding] = wrongImports(sourceFile('server/src/log/a.ts', `\n${way};\n`), table);
    assert.match(finding ?? '', /^server\/src\/log\/a\.ts:[24]: log may not import from inbox/, way);
  }
  assert.deepEqual(wrongImports(sourceFile('server/src/log/a.ts', "const from = ['../inbox/b.ts'];"), table), []);
});

test('a circle in the table is found', () => {
  const circle = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c'])],
    ['c', new Set(['a'])],
  ]);
  assert.match(tableCircles(circle).join(), /a → b → c → a/);
  assert.deepEqual(tableCircles(table), []);
});

test('a page without the table stops the check', () => {
  assert.throws(() => parseImportTable('# Architecture'), /no table/);
});

test('adapters are imported by composition and tests only', () => {
  const paths = new Set([
    'server/src/log/event-log.ts',
    'server/src/log/event-log-memory.ts',
    'server/src/log/in-memory.ts',
  ]);
  assert.ok(isAdapter('server/src/log/event-log-memory.ts', paths));
  assert.ok(!isAdapter('server/src/log/in-memory.ts', paths), 'no port of that name lies beside it');
  const stage = importing('server/src/inbox/a.ts', '../log/event-log-memory.ts');
  assert.equal(adapterImports(stage, paths).length, 1);
  assert.deepEqual(adapterImports(importing('server/src/app.ts', './log/event-log-memory.ts'), paths), []);
  assert.deepEqual(adapterImports(importing('server/src/log/a.test.ts', './event-log-memory.ts'), paths), []);
  assert.deepEqual(adapterImports(importing('server/src/inbox/a.ts', '../log/event-log.ts'), paths), []);
});

test('clock and chance are read in base only', () => {
  const wrong = [
    'Date.now()',
    'new Date()',
    'new Date( )',
    'new Date',
    'Date()',
    'Math.random()',
    'setTimeout(f, 1)',
    'setInterval(f, 1)',
    'globalThis.setTimeout(f, 1)',
    'performance.now()',
    'Temporal.Now.instant()',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the planted code is a template itself
    '`${Date.now()}`',
  ];
  for (const code of wrong) {
    assert.equal(worldlyWords(sourceFile('server/src/log/a.ts', code)).length, 1, code);
    assert.deepEqual(worldlyWords(sourceFile('server/src/base/a.ts', code)), []);
    assert.deepEqual(worldlyWords(sourceFile('server/src/log/a.test.ts', code)), []);
    assert.deepEqual(worldlyWords(sourceFile('scripts/a.ts', code)), []);
  }
  const right = [
    'new Date(ms)',
    'Date.UTC(2020)',
    'socket.setTimeout(1)',
    '// Date.now()',
    "'Math.random()'",
    '/setTimeout/',
  ];
  for (const code of right) assert.deepEqual(worldlyWords(sourceFile('server/src/log/a.ts', code)), [], code);
});

test('work left as a note is found, in comments only', () => {
  const word = ['TO', 'DO'].join('');
  assert.match(leftovers(sourceFile('server/src/a.ts', `\n// ${word}: later`)).join(), /a\.ts:2/);
  assert.match(leftovers(sourceFile('scripts/a.ts', `/* FIX${'ME'} */`)).join(), /a\.ts:1/);
  assert.deepEqual(leftovers(sourceFile('server/src/a.ts', `const ${word} = 1;`)), []);
});

test('a file begins with what it is', () => {
  assert.equal(missingHead(sourceFile('server/src/a.ts', 'export const a = 1;')).length, 1);
  assert.deepEqual(missingHead(sourceFile('server/src/a.ts', '#!/usr/bin/env node\n/** The entry. */\n')), []);
});

test('a file is named after its main export', () => {
  const named = (path: string, code: string) => misnamed(sourceFile(path, code)).length === 0;
  assert.ok(named('server/src/base/event-log.ts', 'export interface EventLog {}'));
  assert.ok(named('server/src/base/clock.ts', 'export const systemClock = 1;'));
  assert.ok(named('server/src/base/limits.ts', 'export const limits = 1;'));
  assert.ok(named('server/src/base/http-server.ts', 'export class HTTPServer {}'));
  assert.ok(named('server/src/main.ts', 'run();'));
  assert.ok(!named('server/src/base/helpers.ts', 'export function parseTime() {}'));
  assert.ok(!named('server/src/base/event-log.ts', 'export class EventStore {}'));
  assert.ok(
    named(
      'server/src/base/row-codec.ts',
      'export const readRow = 1, a = 2; export const writeRow = 1; export type A = 1;',
    ),
  );
});

test('a limit that nothing reads is found', () => {
  const user = sourceFile('server/src/log/a.ts', 'const { third: t } = limits; use(limits.first);');
  const inTest = sourceFile('server/src/log/a.test.ts', 'use(limits.second)');
  const inWords = sourceFile('server/src/log/b.ts', "// limits.second\nconst a = 'limits.second';");
  assert.deepEqual(unusedLimits(['first', 'second', 'third'], [user, inTest, inWords]), [
    'server/src/base/limits.ts: nothing uses second',
  ]);
});

test('a metric or log event that nothing names is found', () => {
  const list = sourceFile('server/src/base/list.ts', "const list = { 'first': 1, 'second': 2 }");
  const user = sourceFile('server/src/log/a.ts', "series('first', {})");
  const inTest = sourceFile('server/src/log/a.test.ts', "series('second', {})");
  assert.deepEqual(unusedNames(list.path, ['first', 'second'], [list, user, inTest]), [
    'server/src/base/list.ts: nothing uses second',
  ]);
});
