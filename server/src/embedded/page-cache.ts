/**
 * First pages as they were sent, in the sockets' thread, until their person changes (N4, P7): opening the inbox then
 * costs no trip to the store. Bounded in bytes; the page unused longest goes.
 */
import type { PersonKey } from '../base/ids.ts';
import type { PageText } from '../inbox/inbox-service.ts';

export class PageCache {
  readonly #bytesMax: number;
  /** By person, then by the number of rows asked for. In order of last use. */
  readonly #pages = new Map<PersonKey, Map<number, PageText>>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(person: PersonKey, limit: number, nowMs: number): PageText | null {
    const pages = this.#pages.get(person);
    const page = pages?.get(limit);
    if (pages === undefined || page === undefined) return null;
    if (page.validUntilMs <= nowMs) {
      this.drop(person);
      return null;
    }
    this.#pages.delete(person);
    this.#pages.set(person, pages);
    return page;
  }

  put(person: PersonKey, limit: number, page: PageText): void {
    const pages = this.#pages.get(person) ?? new Map<number, PageText>();
    this.#bytes += page.json.length - (pages.get(limit)?.json.length ?? 0);
    this.#pages.delete(person);
    this.#pages.set(person, pages.set(limit, page));
    for (const idlest of this.#pages.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.drop(idlest);
    }
  }

  drop(person: PersonKey): void {
    for (const page of this.#pages.get(person)?.values() ?? []) this.#bytes -= page.json.length;
    this.#pages.delete(person);
  }
}
