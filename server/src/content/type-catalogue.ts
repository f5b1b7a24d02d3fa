/** The type catalogue (C1): finds the entry of a type. The built-in types are those of `types/built-in.yaml`. */
import { readBuiltInTypes } from './built-in-files.ts';
import { resolveTypes } from './resolve-types.ts';
import type { TypeEntry } from './type-entry.ts';

export type { TypeEntry } from './type-entry.ts';

export interface TypeCatalogue {
  /** The entry for a type as written in an event, version suffix included; undefined for unknown types or versions. */
  find(type: string): TypeEntry | undefined;
  readonly types: readonly TypeEntry[];
}

/** Every schema so far is version 1, so `@1` and no suffix mean the same (E8). */
export function createTypeCatalogue(types: readonly TypeEntry[]): TypeCatalogue {
  const byName = new Map<string, TypeEntry>();
  for (const type of types) {
    byName.set(type.name, type);
    byName.set(`${type.name}@1`, type);
  }
  return { find: (type) => byName.get(type), types };
}

export const builtInTypes: TypeCatalogue = createTypeCatalogue(resolveTypes(readBuiltInTypes()));
