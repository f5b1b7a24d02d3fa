/** The catalogue files that come with the service: the types, and the words of each locale in a file of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { lazy } from '../base/lazy.ts';
import type { CatalogueContent } from './catalogue-file.ts';
import type { LocaleMessages } from './message-declaration.ts';
import type { TypeDeclaration } from './type-declaration.ts';

const messagesFolder = new URL('./messages/', import.meta.url);

/** Names of all files, below this folder, for whoever checks them. */
export function builtInFiles(): string[] {
  return ['types/built-in.yaml', ...builtInLocales().map((locale) => `messages/${locale}.yaml`)];
}

export function readBuiltInFile(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
}

/** Locales that have words, by the names of their files. */
export function builtInLocales(): string[] {
  return readdirSync(messagesFolder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

/** Read once. Not checked: a test does that for all of them. */
export const readBuiltInTypes: () => ReadonlyMap<string, TypeDeclaration> = lazy(() => {
  const { types } = parse(readBuiltInFile('types/built-in.yaml')) as CatalogueContent;
  return new Map(Object.entries(types as Record<string, TypeDeclaration>));
});

export function readBuiltInMessages(locale: string): LocaleMessages {
  const { messages } = parse(readBuiltInFile(`messages/${locale}.yaml`)) as CatalogueContent;
  return messages[locale] as LocaleMessages;
}
