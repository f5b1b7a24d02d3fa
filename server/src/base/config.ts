/**
 * Reads the configuration: defaults, then a YAML or JSON file, then the environment, then the command line; the later
 * wins. Whatever is wrong is reported at once, each with the path of its key, and nothing starts. `"${NAME}"` as a whole
 * value in the file stands for an environment variable, so that secrets need not lie in files.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Compile } from 'typebox/compile';
import { parseDocument } from 'yaml';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { configProblems } from './config-rules.ts';
import { Config } from './config-schema.ts';
import { fieldErrors } from './field-errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigSources {
  readonly env: Environment;
  /** Path of the file; else `CARILLON_CONFIG`, else `carillon.yaml` in the working folder if there is one. */
  readonly file?: string;
  /** Top-level keys from the command line. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** A key of the schema, as the readers of it need it. */
export interface ConfigNode {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly env?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ConfigNode>>;
  readonly items?: ConfigNode;
}

type Tree = Record<string, unknown>;

const validator = Compile(Config);

/** Throws ConfigError with every problem found. */
export function loadConfig({ env, file, flags = {} }: ConfigSources): Config {
  const path = file ?? env.CARILLON_CONFIG;
  const fromFile = path ? readFile(path, env) : existsSync('carillon.yaml') ? readFile('carillon.yaml', env) : {};
  const value = { ...(merge(Config as ConfigNode, fromFile, env) as Tree), ...flags };
  if (!validator.Check(value)) throw new ConfigError(schemaProblems(value));
  const problems = configProblems(value);
  if (problems.length > 0) throw new ConfigError(problems);
  return value;
}

function readFile(path: string, env: Environment): Tree {
  let text: string;
  try {
    text = readFileSync(resolve(path), 'utf8');
  } catch (error) {
    throw new ConfigError([{ path, detail: `cannot be read (${(error as NodeJS.ErrnoException).code})` }]);
  }
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0) {
    // The first line says what and where; the rest would quote the file, secrets included.
    throw new ConfigError(document.errors.map(({ message }) => ({ path, detail: String(message.split('\n')[0]) })));
  }
  const tree: unknown = document.toJS() ?? {};
  if (!isTree(tree)) throw new ConfigError([{ path, detail: 'must be a mapping of keys to values' }]);
  const problems: ConfigProblem[] = [];
  const filled = fillIn(tree, '', env, problems) as Tree;
  if (problems.length > 0) throw new ConfigError(problems);
  return filled;
}

/** Replaces `${NAME}` values below `value`. */
function fillIn(value: unknown, path: string, env: Environment, problems: ConfigProblem[]): unknown {
  if (Array.isArray(value)) return value.map((entry, index) => fillIn(entry, `${path}[${index}]`, env, problems));
  if (isTree(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, fillIn(entry, path ? `${path}.${key}` : key, env, problems)]),
    );
  }
  const name = typeof value === 'string' ? /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1] : undefined;
  if (name === undefined) return value;
  const text = env[name];
  if (!text) problems.push({ path, detail: `the environment variable ${name} is not set` });
  return text;
}

/** What the file says, completed by defaults and overridden by the environment. Unknown keys stay, to be refused. */
function merge(node: ConfigNode, given: unknown, env: Environment): unknown {
  if (node.properties === undefined) return fromEnvironment(node, env) ?? given ?? structuredClone(node.default);
  if (given !== undefined && given !== null && !isTree(given)) return given;
  const merged: Tree = { ...given };
  for (const [key, child] of Object.entries(node.properties)) {
    const value = merge(child, merged[key], env);
    if (value !== undefined) merged[key] = value;
    else delete merged[key];
  }
  return merged;
}

/** An empty variable counts as absent: that is how shells and compose files pass on what is not set. */
function fromEnvironment(node: ConfigNode, env: Environment): unknown {
  const text = node.env === undefined ? undefined : env[node.env];
  if (!text) return undefined;
  return typedValue(node, text);
}

/** What a text stands for where the schema wants no text; what does not fit is left for the schema to refuse. */
export function typedValue({ type }: Pick<ConfigNode, 'type'>, text: string): unknown {
  if (type === 'array') return text.split(',').map((part) => part.trim());
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function schemaProblems(value: unknown): ConfigProblem[] {
  return fieldErrors(validator, value).map(({ path, detail }) => {
    const { dotted, node } = describePath(path);
    const help = node?.description === undefined ? '' : ` ${node.description}`;
    const origin = node?.env === undefined ? '' : ` (environment: ${node.env})`;
    return { path: dotted, detail: `${detail}${help}${origin}` };
  });
}

/** `/auth/userTokens/0/issuer` as `auth.userTokens[0].issuer`, with the schema's node there if it knows the key. */
function describePath(pointer: string): { dotted: string; node: ConfigNode | undefined } {
  let dotted = '';
  let node: ConfigNode | undefined = Config as ConfigNode;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const isIndex: boolean = node?.items !== undefined && /^\d+$/.test(name);
    dotted += isIndex ? `[${name}]` : `${dotted === '' ? '' : '.'}${name}`;
    node = isIndex ? node?.items : node?.properties?.[name];
  }
  return { dotted, node };
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
