/**
 * Which room may import from which: `contract ← base ← stage ← app`, and between stages only along the table in
 * docs/ARCHITECTURE.md, which this file reads, so that text and rule cannot differ.
 */
import { dirname, join } from 'node:path/posix';
import { inService, lineAt, type SourceFile } from './source-file.ts';

/** Stage → the other stages it may import from. */
export type ImportTable = ReadonlyMap<string, ReadonlySet<string>>;

/** Composition: the only rooms that may know every other room, and adapters. */
const composition = new Set(['app', 'cluster', 'embedded']);

/** The room a file belongs to, or null if the rules do not cover it. Files beside the rooms are `app`. */
export function roomOf(path: string): string | null {
  if (path.startsWith('contract/')) return 'contract';
  const match = /^server\/src\/(?:([^/]+)\/)?/.exec(path);
  if (match === null) return null;
  return match[1] ?? 'app';
}

/** Reads the table between the `imports` markers: `| room | room, room |`. Throws if there is none. */
export function parseImportTable(architecture: string): ImportTable {
  const part = /<!-- imports:start -->([\s\S]*?)<!-- imports:end -->/.exec(architecture)?.[1];
  if (part === undefined) throw new Error('docs/ARCHITECTURE.md has no table between the imports markers.');
  const table = new Map<string, ReadonlySet<string>>();
  for (const line of part.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    const room = /^`([a-z]+)`$/.exec(cells[1] ?? '')?.[1];
    if (room === undefined) continue; // heading and rule
    table.set(room, new Set([...(cells[2] ?? '').matchAll(/`([a-z]+)`/g)].map((match) => match[1] as string)));
  }
  return table;
}

/** Circles in the table itself, each as `a → b → a`. */
export function tableCircles(table: ImportTable): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (room: string, path: readonly string[]): void => {
    if (path.includes(room)) {
      found.push(`docs/ARCHITECTURE.md: rooms in a circle: ${[...path.slice(path.indexOf(room)), room].join(' → ')}`);
      return;
    }
    if (done.has(room)) return;
    for (const next of table.get(room) ?? []) visit(next, [...path, room]);
    done.add(room);
  };
  for (const room of table.keys()) visit(room, []);
  return found;
}

/** Imports that go against the direction or off the table. */
export function wrongImports(file: SourceFile, table: ImportTable): string[] {
  const room = roomOf(file.path);
  if (room === null || !inService(file.path) || composition.has(room)) return [];
  const known = room === 'contract' || room === 'base' || table.has(room);
  if (!known) return [`${file.path}: the room ${room} is not in the table of docs/ARCHITECTURE.md`];
  return file.imports.flatMap(({ at, text }) => {
    const target = roomOf(resolveImport(file.path, text));
    if (target === null || mayImport(room, target, table)) return [];
    return [`${file.path}:${lineAt(file, at)}: ${room} may not import from ${target} (${text})`];
  });
}

function mayImport(from: string, to: string, table: ImportTable): boolean {
  if (from === to) return true;
  if (from === 'contract') return false;
  if (to === 'contract') return true;
  if (from === 'base') return false;
  return to === 'base' || (table.get(from)?.has(to) ?? false);
}

/** Path from the root of what a specifier names; packages of others are left as they are. */
export function resolveImport(from: string, specifier: string): string {
  const own = /^@carillon\/contract\/(.*)$/.exec(specifier);
  if (own) return `contract/src/${own[1]}`;
  return specifier.startsWith('.') ? join(dirname(from), specifier) : specifier;
}

/** Names of technologies that end an adapter's file name, behind the name of its port. */
const technologies = 'memory|level|segments|files|kafka|cassandra|redis|postgres|http|s3';

/** `inbox-store-level.ts` is an adapter if `inbox-store.ts`, its port, lies beside it. */
export function isAdapter(path: string, paths: ReadonlySet<string>): boolean {
  const port = new RegExp(`^(.+)-(?:${technologies})\\.ts$`).exec(path)?.[1];
  return port !== undefined && paths.has(`${port}.ts`);
}

/** Adapters are chosen in one place: only composition and tests import them. */
export function adapterImports(file: SourceFile, paths: ReadonlySet<string>): string[] {
  const room = roomOf(file.path);
  if (room === null || composition.has(room) || !inService(file.path)) return [];
  return file.imports.flatMap(({ at, text }) => {
    const target = resolveImport(file.path, text);
    if (!isAdapter(target, paths)) return [];
    return [`${file.path}:${lineAt(file, at)}: the adapter ${target} may be imported by composition and tests only`];
  });
}
