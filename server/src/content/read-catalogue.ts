/** Reads the app's catalogue files, checks them together with ours, and makes one catalogue of them (C1). */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { builtInFiles, readBuiltInFile, readBuiltInTypes } from './built-in-files.ts';
import { type CatalogueFile, type ReadCatalogueFile, readCatalogueFile } from './catalogue-file.ts';
import { CatalogueError, type CatalogueProblem } from './catalogue-problem.ts';
import { type CatalogueSource, mergeMessages } from './catalogue-source.ts';
import { checkMessages } from './check-messages.ts';
import { brokenType, checkTypes } from './check-types.ts';
import { canonicalLocale } from './locale-chain.ts';
import type { LocaleMessages } from './message-declaration.ts';
import type { TypeDeclaration } from './type-declaration.ts';

export interface CatalogueSettings {
  /** Files, or folders of which every `.yaml` and `.yml` file is taken, in the order of their names. */
  readonly typeFiles: readonly string[];
  readonly defaultLocale: string;
  readonly linkSchemes: readonly string[];
}

/** Reads the app's files. Later files go before earlier ones. Throws CatalogueError with every mistake of all files. */
export function readCatalogue(settings: CatalogueSettings): CatalogueSource {
  const { defaultLocale, linkSchemes } = settings;
  const read = catalogueFiles(settings).map(readFile);
  const files = read.map(({ catalogue }) => catalogue);
  const types = new Map<string, Partial<TypeDeclaration>>(readBuiltInTypes());
  for (const file of files) addTypes(types, file);
  const problems = read.flatMap(({ catalogue, problems: found }) =>
    [...found, ...checkTypes(catalogue, types), ...checkMessages(catalogue, types)].sort(byPlace),
  );
  if (problems.length > 0) throw new CatalogueError(problems);
  return { types: types as Map<string, TypeDeclaration>, messages: addMessages(files), defaultLocale, linkSchemes };
}

function byPlace(a: CatalogueProblem, b: CatalogueProblem): number {
  return a.line - b.line || a.column - b.column;
}

/** The files that are meant, folders opened. */
export function catalogueFiles({ typeFiles }: CatalogueSettings): string[] {
  return typeFiles.flatMap((path) => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
    const names = readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
    return names.sort().map((name) => join(path, name));
  });
}

/** The files that come with the service, checked like an app's: for tests and `carillon check`. */
export function checkBuiltInFiles(): CatalogueProblem[] {
  const read = builtInFiles().map((name) => readCatalogueFile(name, readBuiltInFile(name)));
  const types = readBuiltInTypes();
  return read.flatMap(({ catalogue, problems }) => [
    ...problems,
    ...checkTypes(catalogue, types),
    ...checkMessages(catalogue, types),
  ]);
}

function readFile(file: string): ReadCatalogueFile {
  try {
    return readCatalogueFile(file, readFileSync(file, 'utf8'));
  } catch (error) {
    const detail = `Cannot be read (${(error as NodeJS.ErrnoException).code}).`;
    const { catalogue } = readCatalogueFile(file, '');
    return { catalogue, problems: [{ kind: 'yaml', file, line: 0, column: 0, path: '', detail }] };
  }
}

/** A type that is there already is changed in what the file says of it. */
function addTypes(types: Map<string, Partial<TypeDeclaration>>, file: CatalogueFile): void {
  for (const name of file.broken) types.set(name, brokenType);
  for (const [name, changes] of Object.entries(file.types)) {
    const known = types.get(name) ?? {};
    const channels = { ...known.channels, ...changes.channels };
    if (known === brokenType) continue;
    types.set(name, { ...known, ...changes, ...(Object.keys(channels).length === 0 ? {} : { channels }) });
  }
}

function addMessages(files: readonly CatalogueFile[]): Record<string, LocaleMessages> {
  const all: Record<string, LocaleMessages> = {};
  for (const { messages } of files) {
    for (const [tag, words] of Object.entries(messages)) {
      const locale = canonicalLocale(tag) as string;
      all[locale] = mergeMessages(all[locale] ?? {}, words);
    }
  }
  return all;
}
