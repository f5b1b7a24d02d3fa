/** The house rules that biome.json holds: each finds a violation planted for it, in the rooms it is meant for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { root } from './setup.mjs';

const lines = (count: number): string => '  use();\n'.repeat(count);

const planted: Record<string, string> = {
  'server/src/log/long-function.ts': `export function a() {\n${lines(71)}}\n`,
  'server/src/log/fitting-function.ts': `export function a() {\n${lines(68)}}\n`,
  'server/src/log/long.test.ts': `export function a() {\n${lines(71)}}\n`,
  'server/src/log/long-file.ts': lines(401),
  'server/src/log/parameters.ts': 'export function a(b, c, d, e, f) {\n  return [b, c, d, e, f];\n}\n',
  'server/src/log/barrel.ts': "export { a } from './long-function.ts';\n",
  'server/src/log/circle-a.ts': "import type { B } from './circle-b.ts';\nexport type A = B | 1;\n",
  'server/src/log/circle-b.ts': "import type { A } from './circle-a.ts';\nexport type B = A | 2;\n",
  'server/src/log/loose.ts': 'export const a: any = 1;\n',
  'server/src/log/event-log-kafka.ts': 'export const a: any = 1;\n',
};

const expected: Record<string, string> = {
  'server/src/log/long-function.ts': 'lint/complexity/noExcessiveLinesPerFunction',
  'server/src/log/long-file.ts': 'lint/style/noExcessiveLinesPerFile',
  'server/src/log/parameters.ts': 'lint/complexity/useMaxParams',
  'server/src/log/barrel.ts': 'lint/performance/noBarrelFile',
  'server/src/log/circle-a.ts': 'lint/suspicious/noImportCycles',
  'server/src/log/circle-b.ts': 'lint/suspicious/noImportCycles',
  'server/src/log/loose.ts': 'lint/suspicious/noExplicitAny',
};

test('the linter finds what is too long, too wide, too loose, or goes in circles', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carillon-lint-')));
  try {
    cpSync(join(root, 'biome.json'), join(folder, 'biome.json'));
    for (const [path, text] of Object.entries(planted)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const found: Record<string, string> = {};
    for (const { path, rule } of await lint(folder)) found[relative(folder, path).replaceAll(sep, '/')] = rule;
    assert.deepEqual(found, expected);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

async function lint(folder: string): Promise<{ path: string; rule: string }[]> {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const args = [biome, 'lint', '--reporter=github', '--max-diagnostics=none', '.'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch((failed) => failed);
  // ::error title=lint/style/x,file=server/src/a.ts,line=…
  const pattern = /^::error title=(lint\/[^,]+),file=([^,]+),/gm;
  return [...String(stdout).matchAll(pattern)].map(([, rule, path]) => ({
    path: path as string,
    rule: rule as string,
  }));
}
