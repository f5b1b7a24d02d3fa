/** What texts of one locale need of `Intl`, made once and quick to ask: plural categories, numbers, lists, direction. */

export interface LocaleTools {
  readonly locale: string;
  readonly isRightToLeft: boolean;
  cardinal(count: number): string;
  ordinal(count: number): string;
  number(value: number): string;
  /** "A", "A and B", "A, B and C". */
  list(parts: readonly string[]): string;
}

/** Counts that come up all the time are answered from a table. */
const commonCounts = 256;

/** Languages in which the word "and" depends on what stands beside it, so that `Intl` must see each list. */
const contextual = new Set(['es', 'he', 'th']);

const rightToLeftScripts = new Set(['Adlm', 'Arab', 'Aran', 'Hebr', 'Mand', 'Mend', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

/** English lists have no comma before "and", as in the rest of the service's words. */
const listLocaleOf: Readonly<Record<string, string>> = { en: 'en-GB' };

export function localeTools(locale: string): LocaleTools {
  const listLocale = listLocaleOf[locale] ?? locale;
  return {
    locale,
    isRightToLeft: isRightToLeft(locale),
    cardinal: categories(new Intl.PluralRules(locale)),
    ordinal: categories(new Intl.PluralRules(locale, { type: 'ordinal' })),
    number: numbers(new Intl.NumberFormat(locale)),
    list: joinsPlainly(listLocale) ? joiner(listLocale) : listsOf(listLocale),
  };
}

export function isRightToLeft(locale: string): boolean {
  return rightToLeftScripts.has(new Intl.Locale(locale).maximize().script ?? '');
}

function categories(rules: Intl.PluralRules): (count: number) => string {
  const common = Array.from({ length: commonCounts }, (_, count) => rules.select(count));
  return (count) => common[count] ?? rules.select(count);
}

function numbers(format: Intl.NumberFormat): (value: number) => string {
  const isLatin = format.resolvedOptions().numberingSystem === 'latn';
  return (value) =>
    isLatin && value >= 0 && value < 1000 && Number.isInteger(value) ? String(value) : format.format(value);
}

/** Whether lists are their parts with something between, whatever the parts are. */
function joinsPlainly(locale: string): boolean {
  if (contextual.has(new Intl.Locale(locale).language)) return false;
  const parts = new Intl.ListFormat(locale, { type: 'conjunction' }).formatToParts(['x', 'x', 'x', 'x']);
  return parts[0]?.type === 'element' && parts.at(-1)?.type === 'element' && parts.length === 7;
}

function listsOf(locale: string): LocaleTools['list'] {
  const format = new Intl.ListFormat(locale, { type: 'conjunction' });
  return (parts) => format.format(parts);
}

/** What `Intl` puts between the parts of a list, asked once: between two, and at the start, middle and end of more. */
function joiner(locale: string): LocaleTools['list'] {
  const format = new Intl.ListFormat(locale, { type: 'conjunction' });
  const glue = (count: number): string[] =>
    format
      .formatToParts(Array.from({ length: count }, () => 'x'))
      .filter(({ type }) => type === 'literal')
      .map(({ value }) => value);
  const [pair = ''] = glue(2);
  const [start = '', middle = '', end = ''] = glue(4);
  const [startOfThree = '', endOfThree = ''] = glue(3);
  return (parts) => {
    const [a = '', b, c] = parts;
    if (b === undefined) return a;
    if (c === undefined) return a + pair + b;
    if (parts.length === 3) return a + startOfThree + b + endOfThree + c;
    const last = parts.length - 1;
    return a + start + parts.slice(1, last).join(middle) + end + (parts[last] as string);
  };
}
