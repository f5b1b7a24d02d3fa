/**
 * The words of all locales (C2): finds those that fit a person best, along CLDR's parents, then the default locale, then
 * English, which says everything. The words of a locale are read and compiled when somebody first wants them.
 */
import { limits } from '../base/limits.ts';
import { builtInLocales, readBuiltInMessages } from './built-in-files.ts';
import { mergeMessages } from './catalogue-source.ts';
import { acceptedLanguages, localeChain } from './locale-chain.ts';
import { LocaleWords } from './locale-words.ts';
import type { LocaleMessages } from './message-declaration.ts';

const lastLocale = 'en';

export interface WordsParts {
  /** Words of the app's own files, by canonical locale: they go before ours. */
  readonly messages: Readonly<Record<string, LocaleMessages>>;
  readonly defaultLocale: string;
  readonly groupsByParent: (type: string) => boolean;
}

export class Words {
  readonly #parts: WordsParts;
  readonly #builtIn = new Set(builtInLocales());
  readonly #available: ReadonlySet<string>;
  readonly #byLocale = new Map<string, LocaleWords>();
  /** What was asked for, by language tag as it came; made empty when it has grown too large. */
  readonly #asked = new Map<string, LocaleWords>();
  /** Likewise, by Accept-Language header. */
  readonly #accepted = new Map<string, string | null>();
  /** Of whoever names no locale. */
  readonly default: LocaleWords;

  constructor(parts: WordsParts) {
    this.#parts = parts;
    this.#available = new Set([...this.#builtIn, ...Object.keys(parts.messages)]);
    this.default = this.#load(this.best([parts.defaultLocale]) ?? lastLocale);
  }

  /** Locales that have words, in alphabetical order. */
  get locales(): string[] {
    return [...this.#available].sort();
  }

  /** The locale with words that fits the first of these language tags for which there is any; null if none does. */
  best(tags: readonly string[]): string | null {
    for (const tag of tags) {
      const found = localeChain(tag).find((locale) => this.#available.has(locale));
      if (found !== undefined) return found;
    }
    return null;
  }

  /** The locale with words that fits an Accept-Language header best; null where that is the default. */
  accepted(header: string): string | null {
    const known = this.#accepted.get(header);
    if (known !== undefined) return known;
    const best = this.best(acceptedLanguages(header.slice(0, limits.acceptLanguageCharsMax)));
    const locale = best === this.default.locale ? null : best;
    if (this.#accepted.size >= limits.localesAskedMax) this.#accepted.clear();
    this.#accepted.set(header, locale);
    return locale;
  }

  /** `locale`: any language tag; null for the default. */
  in(locale: string | null): LocaleWords {
    if (locale === null) return this.default;
    const known = this.#asked.get(locale);
    if (known !== undefined) return known;
    const best = this.best([locale]);
    const words = best === null ? this.default : this.#load(best);
    if (this.#asked.size >= limits.localesAskedMax) this.#asked.clear();
    this.#asked.set(locale, words);
    return words;
  }

  #load(locale: string): LocaleWords {
    const known = this.#byLocale.get(locale);
    if (known !== undefined) return known;
    const parent = this.#parentOf(locale);
    const messages = mergeMessages(
      this.#builtIn.has(locale) ? readBuiltInMessages(locale) : {},
      this.#parts.messages[locale] ?? {},
    );
    const { groupsByParent } = this.#parts;
    const words = new LocaleWords({
      locale,
      messages,
      parent: parent === null ? null : this.#load(parent),
      groupsByParent,
    });
    this.#byLocale.set(locale, words);
    return words;
  }

  /** After its own parents a locale falls to the default one and to English, each with their parents; never in a circle. */
  #parentOf(locale: string): string | null {
    if (locale === lastLocale) return null;
    const ofDefault = localeChain(this.#parts.defaultLocale);
    const others = ofDefault.includes(locale) ? [lastLocale] : [...ofDefault, lastLocale];
    const [, ...chain] = [...localeChain(locale), ...others];
    return chain.find((other) => other !== locale && this.#available.has(other)) ?? null;
  }
}
