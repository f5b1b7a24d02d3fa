/** Lists keep what they promise: each limit is read somewhere, each metric is counted, each log event is written. */
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

/** Names of a list (metrics, log events) that no other file of the service names in a string. */
export function unusedNames(listPath: string, names: readonly string[], files: readonly SourceFile[]): string[] {
  const others = files.filter(({ path }) => path !== listPath && inService(path));
  return names
    .filter((name) => !others.some(({ text }) => text.includes(`'${name}'`)))
    .map((name) => `${listPath}: nothing uses ${name}`);
}
