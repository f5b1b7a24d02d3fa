/**
 * First pages as they were sent, in the sockets' thread, until their person changes (N4, P7): opening the inbox then
 * costs no trip to the store. Bounded in bytes; the page unused longest goes.
 */
import type { PersonKey } from '../base/ids.ts';
import type { PageText } from '../inbox/inbox-service.ts';

/** The number of rows, with the locale after it where that is not the default one. */
export type PageVariant = number | string;

export class PageCache {
  readonly #bytesMax: number;
  /** By person, then by what was asked for. In order of last use. */
  readonly #pages = new Map<PersonKey, Map<PageVariant, PageText>>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(person: PersonKey, variant: PageVariant, nowMs: number): PageText | null {
    const pages = this.#pages.get(person);
    const page = pages?.get(variant);
    if (pages === undefined || page === undefined) return null;
    if (page.validUntilMs <= nowMs) {
      this.drop(person);
      return null;
    }
    this.#pages.delete(person);
    this.#pages.set(person, pages);
    return page;
  }

  put(person: PersonKey, variant: PageVariant, page: PageText): void {
    const pages = this.#pages.get(person) ?? new Map<PageVariant, PageText>();
    this.#bytes += page.json.length - (pages.get(variant)?.json.length ?? 0);
    this.#pages.delete(person);
    this.#pages.set(person, pages.set(variant, page));
    for (const idlest of this.#pages.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.drop(idlest);
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }

  drop(person: PersonKey): void {
    for (const page of this.#pages.get(person)?.values() ?? []) this.#bytes -= page.json.length;
    this.#pages.delete(person);
  }
}
