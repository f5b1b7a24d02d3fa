/**
 * The catalogue in use in one thread: what the other rooms hold on to while it is replaced (C1). An event is decided and
 * shown by one state of it, since it is replaced between turns of the event loop only.
 */
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import { builtInSource, type CatalogueSource } from './catalogue-source.ts';
import { Content } from './content.ts';
import type { DescribedFacts, InAppDescription } from './render-in-app.ts';
import type { TypeCatalogue } from './type-catalogue.ts';
import type { TypeEntry } from './type-entry.ts';

export class LiveContent implements TypeCatalogue {
  #content: Content;
  #source: CatalogueSource;

  constructor(source: CatalogueSource) {
    this.#source = source;
    this.#content = new Content(source);
  }

  /**
   * Throws, and changes nothing, if the source is not right. A type that it has no more stays as it was until the next
   * start: events of it may be on their way.
   */
  replace(source: CatalogueSource): void {
    const types = new Map([...this.#source.types, ...source.types]);
    const whole = { ...source, types };
    const next = new Content(whole);
    void next.words;
    this.#content = next;
    this.#source = whole;
  }

  /** What another thread can make the same of. */
  get source(): CatalogueSource {
    return this.#source;
  }

  get current(): Content {
    return this.#content;
  }

  get types(): readonly TypeEntry[] {
    return this.#content.types.types;
  }

  find(type: string): TypeEntry | undefined {
    return this.#content.types.find(type);
  }

  /** Bound, since it is handed on as a function. */
  readonly describe = (facts: DescribedFacts, locale: string | null = null): InAppDescription =>
    this.#content.describe(facts, locale);

  /** Describes in one language. */
  describeIn(locale: string | null): LiveContent['describe'] {
    return locale === null ? this.describe : (facts) => this.#content.describe(facts, locale);
  }

  /** Of an Accept-Language header, what of ours fits best; null for the default locale. Bound likewise. */
  readonly localeOf = (acceptLanguage: string | undefined): string | null =>
    acceptLanguage === undefined ? null : this.#content.words.accepted(acceptLanguage);

  /** Bound likewise. */
  readonly explain = (decision: ChannelDecision, locale: string | null = null, timeZone = 'UTC'): string =>
    this.#content.explain(decision, locale, timeZone);
}

/** The built-in types and words alone. */
export const builtInContent: LiveContent = new LiveContent(builtInSource());
