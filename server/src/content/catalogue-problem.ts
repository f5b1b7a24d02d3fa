/** What is wrong with a catalogue: every mistake at once, each with file and line, and a word that stays the same. */
import { CarillonError } from '../base/carillon-error.ts';

/**
 * `yaml`: not YAML · `schema`: a key or value that no file may have · `reference`: names a type that is not there ·
 * `conflict`: keys that do not go together · `syntax`: not MessageFormat · `argument`: a message asks for what it does not
 * get · `plural`: a form is missing that the language has · `locale`: not a language tag.
 */
export const mistakeKinds = [
  'yaml',
  'schema',
  'reference',
  'conflict',
  'syntax',
  'argument',
  'plural',
  'locale',
] as const;

export interface CatalogueProblem {
  readonly kind: (typeof mistakeKinds)[number];
  readonly file: string;
  /** From 1; 0 where the file as a whole is meant. */
  readonly line: number;
  readonly column: number;
  /** As one would write it: `types.shop.sold.lane`; empty where the file as a whole is meant. */
  readonly path: string;
  readonly detail: string;
}

/** The catalogue was not taken, and what was there before stays. */
export class CatalogueError extends CarillonError {
  readonly problems: readonly CatalogueProblem[];

  constructor(problems: readonly CatalogueProblem[]) {
    const lines = problems.map((problem) => `  ${problemLine(problem)}`);
    super('CARILLON_CATALOGUE_INVALID', `The type catalogue is not valid:\n${lines.join('\n')}`);
    this.name = 'CatalogueError';
    this.problems = problems;
  }
}

/** `types/shop.yaml:12:5: types.shop.sold.lane: … (schema)` */
export function problemLine({ kind, file, line, column, path, detail }: CatalogueProblem): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}: ${path === '' ? '' : `${path}: `}${detail} (${kind})`;
}
