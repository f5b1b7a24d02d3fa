/**
 * The whole catalogue as plain data (C1): our types and the app's, put together and found right, and the app's words. It can
 * be sent to another thread, which makes its own `Content` of it. How it comes about: `read-catalogue.ts`.
 */
import { readBuiltInTypes } from './built-in-files.ts';
import type { LocaleMessages } from './message-declaration.ts';
import type { TypeDeclaration } from './type-declaration.ts';

export interface CatalogueSource {
  readonly types: ReadonlyMap<string, TypeDeclaration>;
  /** Of the app's files, by canonical locale. */
  readonly messages: Readonly<Record<string, LocaleMessages>>;
  readonly defaultLocale: string;
  /** Schemes of links into the app (C4). */
  readonly linkSchemes: readonly string[];
}

/** With nothing of the app's own. */
export function builtInSource(): CatalogueSource {
  return { types: readBuiltInTypes(), messages: {}, defaultLocale: 'en', linkSchemes: [] };
}

/** What `over` says goes before what `under` says, text by text. */
export function mergeMessages(under: LocaleMessages, over: LocaleMessages): LocaleMessages {
  const types: Record<string, object> = { ...under.types };
  for (const [name, texts] of Object.entries(over.types ?? {})) {
    const { actions } = under.types?.[name] ?? {};
    types[name] = { ...types[name], ...texts, actions: { ...actions, ...texts.actions } };
  }
  return {
    patterns: { ...under.patterns, ...over.patterns },
    phrases: { ...under.phrases, ...over.phrases },
    outcomes: { ...under.outcomes, ...over.outcomes },
    reasons: { ...under.reasons, ...over.reasons },
    types,
  };
}
