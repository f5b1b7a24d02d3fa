/** A limit that nothing reads is a promise nobody keeps: each key of base/limits.ts must be used in the service. */
import { inService, type SourceFile } from './source-file.ts';

const limitsPath = 'server/src/base/limits.ts';

/** `keys` are the names in the list of limits. */
export function unusedLimits(keys: readonly string[], files: readonly SourceFile[]): string[] {
  const used = new Set<string>();
  for (const file of files) {
    if (file.path === limitsPath || !inService(file.path)) continue;
    for (const match of file.code.matchAll(/\blimits\s*\.\s*(\w+)/g)) used.add(match[1] as string);
    // `const { eventBytesMax } = limits`
    for (const match of file.code.matchAll(/\{([^{}]*)\}\s*=\s*limits\b/g)) {
      for (const name of (match[1] as string).split(',')) used.add((name.split(':')[0] as string).trim());
    }
  }
  return keys.filter((key) => !used.has(key)).map((key) => `${limitsPath}: nothing uses ${key}`);
}
