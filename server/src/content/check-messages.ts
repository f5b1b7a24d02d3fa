/**
 * What is wrong with the words of a file (C2): texts that are no MessageFormat, arguments that are never given, forms of
 * the plural that the language has and the text lacks, words for types that are not there.
 */
import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser';
import type { CatalogueFile, Path } from './catalogue-file.ts';
import type { CatalogueProblem } from './catalogue-problem.ts';
import { brokenType } from './check-types.ts';
import { parseMessage } from './compile-message.ts';
import { canonicalLocale } from './locale-chain.ts';
import { typeArgumentNames } from './message-arguments.ts';
import type { LocaleMessages } from './message-declaration.ts';
import type { TypeDeclaration } from './type-declaration.ts';

type Mistake = readonly [kind: CatalogueProblem['kind'], detail: string];

const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  quoted: ['text'],
  said: ['text'],
  people: ['count'],
  others: ['count'],
  digest: ['count'],
};
const outcomeArgumentNames = ['channel', 'reason', 'until', 'timed'];

export function checkMessages(
  file: CatalogueFile,
  types: ReadonlyMap<string, Partial<TypeDeclaration>>,
): CatalogueProblem[] {
  return Object.entries(file.messages).flatMap(([locale, words]) => {
    const at = (path: Path, [kind, detail]: Mistake) => file.problemAt(['messages', locale, ...path], kind, detail);
    if (!isLocale(locale)) return [at([], ['locale', 'Is not a language that is known.'])];
    const categories = categoriesOf(locale);
    const problems = textsOf(words).flatMap(({ path, text, names }) =>
      textMistakes(text, { names, categories }).map((mistake) => at(path, mistake)),
    );
    for (const [name, { actions = {} }] of Object.entries(words.types ?? {})) {
      const type = types.get(name);
      if (type === brokenType) continue;
      if (type === undefined && name !== 'generic') {
        problems.push(at(['types', name], ['reference', `There is no type \`${name}\`.`]));
      }
      for (const id of Object.keys(actions)) {
        if (type?.actions?.some((action) => action.id === id)) continue;
        problems.push(at(['types', name, 'actions', id], ['reference', `The type has no action \`${id}\`.`]));
      }
    }
    return problems;
  });
}

function isLocale(tag: string): boolean {
  return canonicalLocale(tag) !== null && Intl.PluralRules.supportedLocalesOf(tag).length > 0;
}

interface PlacedText {
  readonly path: Path;
  readonly text: string;
  readonly names: readonly string[];
}

function textsOf({ patterns, phrases, types, outcomes, reasons }: LocaleMessages): PlacedText[] {
  const placed = (path: Path, texts: object = {}, names?: readonly string[]): PlacedText[] =>
    Object.entries(texts as Record<string, unknown>)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .map(([key, text]) => ({ path: [...path, key], text, names: names ?? argumentsOf[key] ?? [] }));
  return [
    ...placed(['patterns'], patterns),
    ...placed(['phrases'], phrases),
    ...placed(['outcomes'], outcomes, outcomeArgumentNames),
    ...placed(['reasons'], reasons, []),
    ...Object.entries(types ?? {}).flatMap(([name, texts]) => [
      ...placed(['types', name], texts, typeArgumentNames),
      ...placed(['types', name, 'actions'], texts.actions, typeArgumentNames),
    ]),
  ];
}

function textMistakes(text: string, allowed: Allowed): Mistake[] {
  let elements: MessageFormatElement[];
  try {
    elements = parseMessage(text);
  } catch (error) {
    return [['syntax', `Is no MessageFormat: ${describeSyntax(error as ParseError)}.`]];
  }
  return elementMistakes(elements, allowed);
}

interface ParseError extends Error {
  readonly location?: { readonly start: { readonly offset: number } };
}

/** `EXPECT_ARGUMENT_CLOSING_BRACE at character 12` */
function describeSyntax({ message, location }: ParseError): string {
  const words = message.toLowerCase().replaceAll('_', ' ');
  return location === undefined ? words : `${words}, at character ${location.start.offset + 1}`;
}

interface Allowed {
  readonly names: readonly string[];
  readonly categories: { readonly cardinal: Forms; readonly ordinal: Forms };
}

interface Forms {
  readonly all: readonly string[];
  /** Those that whole numbers up to a thousand come to: of fractions and of millions they may be left out. */
  readonly usual: readonly string[];
}

function elementMistakes(elements: readonly MessageFormatElement[], allowed: Allowed): Mistake[] {
  return elements.flatMap((element): Mistake[] => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return [];
    if (element.type === TYPE.date || element.type === TYPE.time || element.type === TYPE.tag) {
      return [['syntax', 'Dates, times and tags are not taken, only text, numbers, select and plural.']];
    }
    const mistakes: Mistake[] = [];
    if (!allowed.names.includes(element.value)) {
      const known = allowed.names.map((name) => `{${name}}`).join(', ');
      mistakes.push(['argument', `There is no {${element.value}} here${known === '' ? '' : `, only ${known}`}.`]);
    }
    if (element.type === TYPE.select || element.type === TYPE.plural) {
      if (element.type === TYPE.plural) mistakes.push(...pluralMistakes(element, allowed));
      for (const { value } of Object.values(element.options)) mistakes.push(...elementMistakes(value, allowed));
    }
    return mistakes;
  });
}

/** Exact numbers and `other` alone are enough: verbs often know no more than one and many. */
function pluralMistakes(
  { options, pluralType, value }: Extract<MessageFormatElement, { type: TYPE.plural }>,
  { categories }: Allowed,
): Mistake[] {
  const given = Object.keys(options).filter((key) => !key.startsWith('='));
  const { all, usual } = categories[pluralType ?? 'cardinal'];
  const foreign = given.filter((key) => key !== 'other' && !all.includes(key));
  const missing = given.length > 1 ? usual.filter((key) => !given.includes(key)) : [];
  return [
    ...foreign.map((key): Mistake => ['plural', `The language has no form \`${key}\` for {${value}}.`]),
    ...missing.map((key): Mistake => ['plural', `The form \`${key}\` of {${value}} is missing.`]),
  ];
}

function categoriesOf(locale: string): Allowed['categories'] {
  const forms = (rules: Intl.PluralRules): Forms => {
    const seen = new Set<string>();
    for (let count = 0; count <= 1000; count++) seen.add(rules.select(count));
    const all: readonly string[] = rules.resolvedOptions().pluralCategories;
    return { all, usual: all.filter((category) => seen.has(category)) };
  };
  return {
    cardinal: forms(new Intl.PluralRules(locale)),
    ordinal: forms(new Intl.PluralRules(locale, { type: 'ordinal' })),
  };
}
