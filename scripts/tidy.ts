/**
 * The house rules that a linter does not know (docs/ARCHITECTURE.md, CONTRIBUTING.md): who may import whom, adapters
 * chosen in one place, time and chance as arguments, names, no leftovers, no limit, metric or log event that nothing uses.
 * What a linter does know (lengths, parameters, barrels, circles between files, `any`) is in biome.json.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { limits } from '../server/src/base/limits.ts';
import { logEvents } from '../server/src/base/log-events.ts';
import { metricList } from '../server/src/base/metric-list.ts';
import { root } from './setup.mjs';
import { misnamed } from './tidy/misnamed.ts';
import { adapterImports, parseImportTable, tableCircles, wrongImports } from './tidy/rooms.ts';
import { type SourceFile, sourceFile } from './tidy/source-file.ts';
import { unusedLimits, unusedNames } from './tidy/unused-limits.ts';
import { leftovers, missingHead, worldlyWords } from './tidy/words.ts';

/** Every finding in the project below `folder`, as `path:line: what is wrong`, sorted. */
export function tidy(folder: string): string[] {
  const files = readSources(folder);
  const paths = new Set(files.map(({ path }) => path));
  const table = parseImportTable(readFileSync(join(folder, 'docs', 'ARCHITECTURE.md'), 'utf8'));
  const perFile = (file: SourceFile): string[] => [
    ...wrongImports(file, table),
    ...adapterImports(file, paths),
    ...worldlyWords(file),
    ...leftovers(file),
    ...missingHead(file),
    ...misnamed(file),
  ];
  return [
    ...files.flatMap(perFile),
    ...tableCircles(table),
    ...unusedLimits(Object.keys(limits), files),
    ...unusedNames('server/src/base/metric-list.ts', Object.keys(metricList), files),
    ...unusedNames('server/src/base/log-events.ts', Object.keys(logEvents), files),
  ].sort();
}

function readSources(folder: string): SourceFile[] {
  const exclude = (path: string): boolean => /node_modules|peers/.test(path);
  return globSync('{contract,server,client,bench,scripts,test,examples}/**/*.ts', { cwd: folder, exclude }).map(
    (path) => sourceFile(path.replaceAll(sep, '/'), readFileSync(join(folder, path), 'utf8')),
  );
}

if (import.meta.main) {
  const findings = tidy(root);
  for (const finding of findings) console.log(finding);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
