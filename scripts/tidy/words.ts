/** Rules about words in one file: no reading of clock or chance outside base, no work left as a note, a head comment. */
import { inService, lineAt, type SourceFile } from './source-file.ts';

/** Time and chance are arguments. A socket's own `.setTimeout(` is the system's and allowed. */
const worldly: readonly (readonly [RegExp, string])[] = [
  [/\bDate\.now\b/g, 'Date.now'],
  [/\bnew Date\b\s*(?:\(\s*\)|(?!\s*\())/g, 'new Date()'],
  [/(?<!new\s)(?<![.\w])Date\(\s*\)/g, 'Date()'],
  [/\bTemporal\.Now\b/g, 'Temporal.Now'],
  [/\bperformance\.now\b/g, 'performance.now'],
  [/\bMath\.random\b/g, 'Math.random'],
  [/(?<![.\w])(?:globalThis\.)?setTimeout\b/g, 'setTimeout'],
  [/(?<![.\w])(?:globalThis\.)?setInterval\b/g, 'setInterval'],
];

export function worldlyWords(file: SourceFile): string[] {
  if (!inService(file.path) || file.path.startsWith('server/src/base/')) return [];
  return worldly.flatMap(([pattern, name]) =>
    [...file.code.matchAll(pattern)].map(
      (match) => `${file.path}:${lineAt(file, match.index)}: ${name} outside base; take a Clock or Random argument`,
    ),
  );
}

export function leftovers(file: SourceFile): string[] {
  return file.comments.flatMap(({ at, text }) => {
    const word = /\b(TODO|FIXME|XXX|HACK)\b/.exec(text);
    if (word === null) return [];
    return [
      `${file.path}:${lineAt(file, at + word.index)}: ${word[1]}; finish it, or describe the limit in plain words`,
    ];
  });
}

/** Every file but a test says at its top what it is. */
export function missingHead(file: SourceFile): string[] {
  if (/\.test\.ts$/.test(file.path)) return [];
  const text = file.text.replace(/^#!.*\n/, '').trimStart();
  return text.startsWith('/*') || text.startsWith('//')
    ? []
    : [`${file.path}:1: no head comment that says what this is`];
}
