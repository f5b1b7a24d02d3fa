/**
 * The checks that need no running code: types, style, tidiness. Each answers its findings as text, none when it is content.
 * As a command it runs all three: `npm run check`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './setup.mjs';
import { tidy } from './tidy.ts';

export interface Check {
  readonly name: string;
  /** Resolves with what is wrong, empty if nothing is. */
  run(): Promise<string>;
}

export interface CheckResult {
  readonly name: string;
  readonly findings: string;
  readonly tookMs: number;
}

export const checks: readonly Check[] = [
  { name: 'types', run: () => command('tsc', ['-p', '.']) },
  { name: 'style', run: () => command('biome', ['check', '--error-on-warnings', '--max-diagnostics=50', '.']) },
  { name: 'tidy', run: async () => tidy(root).join('\n') },
];

/** Runs all checks, one after the other, and prints what each finds as it comes. */
export async function runChecks(): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, run } of checks) {
    const startMs = performance.now();
    const findings = await run();
    const tookMs = performance.now() - startMs;
    console.log(`${findings === '' ? '✔' : '✖'} ${name} (${Math.round(tookMs)} ms)`);
    if (findings !== '') console.log(findings);
    results.push({ name, findings, tookMs });
  }
  return results;
}

function command(name: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const path = join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);
    const child = spawn(path, args, { cwd: root, shell: process.platform === 'win32' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve(`${name} could not be started: ${error.message}`));
    child.on('close', (code) => resolve(code === 0 ? '' : output.trim() || `${name} ended with exit code ${code}`));
  });
}

if (import.meta.main) {
  const results = await runChecks();
  process.exitCode = results.some(({ findings }) => findings !== '') ? 1 : 0;
}
