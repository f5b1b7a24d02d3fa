/**
 * A file is named after its main export, in kebab case: who reads an import knows which file to open. A file with several
 * exports is named after what they share, so one word in common is enough there.
 */
import { inService, type SourceFile } from './source-file.ts';

/** Files named after a family whose members do not carry its name. */
const families = new Set([
  'contract/src/health.ts',
  'contract/src/inbox-requests.ts',
  'contract/src/stream.ts',
  'server/src/base/hash.ts',
  'server/src/embedded/channel.ts',
  'server/src/intake/field-patterns.ts',
]);

const exported =
  /\bexport\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|interface|type)\s+(\w+)/g;

/** From how many exports on a file counts as a family. */
const familySize = 2;

export function misnamed(file: SourceFile): string[] {
  if (!inService(file.path) || families.has(file.path)) return [];
  const names = [...new Set([...file.code.matchAll(exported)].map((match) => kebab(match[1] as string)))];
  if (names.length === 0) return []; // an entry point, or a default export that its importer names
  const stem = words(/([^/]+?)(?:\.d)?\.ts$/.exec(file.path)?.[1] ?? '');
  const joined = [...stem].join('');
  const fits = (name: Set<string>): boolean =>
    stem.isSubsetOf(name) || name.isSubsetOf(stem) || [...name].join('') === joined;
  const shares = (name: Set<string>): boolean => names.length >= familySize && !stem.isDisjointFrom(name);
  if (names.some((name) => fits(words(name)) || shares(words(name)))) return [];
  return [`${file.path}: named after none of its exports (${names.join(', ')})`];
}

/** The words of a kebab-case name, in the singular. */
const words = (name: string): Set<string> =>
  new Set(name.split('-').map((word) => word.replace(/(?<=[a-z]{2})s$/, '')));

export function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}
