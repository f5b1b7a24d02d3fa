/**
 * Runs Schemathesis, an independent fuzzer, against the served document (A7). It is a Python program: it is looked for
 * on the PATH and in `var/fuzz-venv`, and else installed there, once.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FuzzTarget } from './fuzz-api.ts';

const root = join(import.meta.dirname, '../..');
const environment = join(root, 'var/fuzz-venv');
const inEnvironment = join(environment, 'bin/st');

/**
 * A schema cannot say which types a catalogue holds, nor that a list with a bad event is taken: whether the right input
 * is refused is our own tests' business.
 */
const excluded = 'positive_data_acceptance,negative_data_rejection';
/** Streams never end, and a long poll waits: our own fuzzer looks at their heads. */
const endless = '^/v1/stream(/poll)?$';

export type SchemathesisRun =
  | { readonly kind: 'ran'; readonly ok: boolean }
  | { readonly kind: 'missing'; readonly why: string };

/** One run per kind of caller, since a document cannot say which token goes where. */
export function runSchemathesis({ origin, tokens }: FuzzTarget, examples: number, seed: number): SchemathesisRun {
  const found = findSchemathesis();
  if ('why' in found) return { kind: 'missing', why: found.why };
  let ok = true;
  const hooks = { PYTHONPATH: import.meta.dirname, PYTHONDONTWRITEBYTECODE: '1', SCHEMATHESIS_HOOKS: 'ndjson_bodies' };
  const env = { ...process.env, ...hooks };
  for (const token of [tokens.user, tokens.producer, null]) {
    const arguments_ = ['run', `${origin}/v1/openapi.json`, '--max-examples', String(examples), '--seed', String(seed)];
    arguments_.push(
      '--no-color',
      '--suppress-health-check',
      'all',
      '--exclude-path-regex',
      endless,
      '--exclude-checks',
      excluded,
    );
    if (token) arguments_.push('--header', `Authorization: Bearer ${token}`);
    const run = spawnSync(found.command, arguments_, { stdio: 'inherit', cwd: root, env });
    ok &&= run.status === 0;
  }
  return { kind: 'ran', ok };
}

function findSchemathesis(): { readonly command: string } | { readonly why: string } {
  if (existsSync(inEnvironment)) return { command: inEnvironment };
  if (works('st', ['--version'])) return { command: 'st' };
  if (!works('python3', ['--version'])) return { why: 'there is no python3 on the PATH' };
  if (!works('python3', ['-m', 'venv', environment])) {
    return { why: 'python3 cannot make a virtual environment (on Debian: apt-get install python3-venv)' };
  }
  const install = spawnSync(join(environment, 'bin/pip'), ['install', '--quiet', 'schemathesis'], { encoding: 'utf8' });
  if (install.status !== 0)
    return { why: `pip cannot install schemathesis: ${install.stderr?.trim().split('\n').at(-1)}` };
  return { command: inEnvironment };
}

function works(command: string, arguments_: readonly string[]): boolean {
  return spawnSync(command, arguments_, { stdio: 'ignore' }).status === 0;
}
