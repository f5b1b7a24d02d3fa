/**
 * One file of the catalogue, read with the place of each of its keys (C1): YAML first, then the schema. Answers what is
 * usable and every mistake; what a file means together with others is checked in `check-types.ts` and `check-messages.ts`.
 */
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Document, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { fieldErrors } from '../base/field-errors.ts';
import { lazy } from '../base/lazy.ts';
import type { CatalogueProblem } from './catalogue-problem.ts';
import { LocaleMessages } from './message-declaration.ts';
import { TypeDeclaration, typeNamePattern } from './type-declaration.ts';

const closed = { additionalProperties: false } as const;

/** Keys that a new type must have are asked for later: a file may name a type to change some of it. */
const ChangedType = Type.Partial(TypeDeclaration, closed);

const FileSchema = Type.Object(
  {
    types: Type.Optional(Type.Record(Type.String({ pattern: typeNamePattern }), ChangedType, closed)),
    messages: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$' }), LocaleMessages, closed),
    ),
  },
  closed,
);

const validator = lazy(() => Compile(FileSchema));

export interface CatalogueContent {
  readonly types: Readonly<Record<string, Partial<TypeDeclaration>>>;
  readonly messages: Readonly<Record<string, LocaleMessages>>;
}

export type Path = readonly (string | number)[];

export interface CatalogueFile extends CatalogueContent {
  readonly file: string;
  /** Types that the file names in a way that cannot be used. */
  readonly broken: readonly string[];
  /** A mistake at the place of a key; of the nearest key above it where the path is not in the file. */
  problemAt(path: Path, kind: CatalogueProblem['kind'], detail: string): CatalogueProblem;
}

export interface ReadCatalogueFile {
  readonly catalogue: CatalogueFile;
  readonly problems: readonly CatalogueProblem[];
}

/** `file`: its name, for messages. What has a problem of its own is left out of the content. */
export function readCatalogueFile(file: string, text: string): ReadCatalogueFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problemAt = (path: Path, kind: CatalogueProblem['kind'], detail: string): CatalogueProblem => {
    const { line, col } = lines.linePos(offsetOf(document, path));
    return { kind, file, line, column: col, path: path.join('.'), detail };
  };
  const problems: CatalogueProblem[] = document.errors.map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0]);
    return { kind: 'yaml', file, line, column: col, path: '', detail: String(message.split('\n')[0]) };
  });
  const content: unknown = problems.length > 0 ? {} : (document.toJS({ maxAliasCount: 0 }) ?? {});
  if (problems.length === 0 && !validator().Check(content)) {
    for (const { path, detail } of fieldErrors(validator(), content)) {
      problems.push(problemAt(fromPointer(path), 'schema', detail));
    }
  }
  const { types, broken, messages } = usable(content, problems);
  return { catalogue: { file, types, broken, messages, problemAt }, problems };
}

/** What has no mistake of its own, so that the rest is checked as well. */
function usable(content: unknown, problems: readonly CatalogueProblem[]) {
  const has = (name: string, key: string): boolean =>
    problems.some(({ path }) => `${path}.`.startsWith(`${name}.${key}.`));
  const part = (name: 'types' | 'messages'): [string, unknown][] => {
    const entries = isMapping(content) ? content[name] : undefined;
    return isMapping(entries) ? Object.entries(entries) : [];
  };
  const isUsable =
    (name: 'types' | 'messages') =>
    ([key, value]: [string, unknown]) =>
      isMapping(value) && !has(name, key);
  const types = part('types');
  return {
    types: Object.fromEntries(types.filter(isUsable('types'))) as CatalogueContent['types'],
    broken: types.filter((entry) => !isUsable('types')(entry)).map(([name]) => name),
    messages: Object.fromEntries(part('messages').filter(isUsable('messages'))) as CatalogueContent['messages'],
  };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fromPointer(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Where the key of the last part that exists begins. */
function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (!isPair(pair)) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = startOf(node) ?? offset;
    } else return offset;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null)?.range?.[0];
}
