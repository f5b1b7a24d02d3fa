/**
 * Whose first page the sockets' thread may keep, as the store's thread sees it. A page may be kept only if nothing of
 * the person changed since before it was read; from then on the first change is told, once, before anything else is.
 */
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';

export class PageHolders {
  /** The last read of each person whose page may be kept. */
  readonly #reads = new Map<PersonKey, number>();
  readonly #onStale: (people: PersonKey[]) => void;
  #lastRead = 0;

  constructor(onStale: (people: PersonKey[]) => void) {
    this.#onStale = onStale;
  }

  /** Before the store is read. */
  begin(person: PersonKey): number {
    this.#lastRead++;
    this.#reads.delete(person);
    this.#reads.set(person, this.#lastRead);
    if (this.#reads.size > limits.pageHoldersMax) this.changed([this.#reads.keys().next().value as PersonKey]);
    return this.#lastRead;
  }

  /** Whether what was read since `begin` may be kept. */
  mayKeep(person: PersonKey, read: number): boolean {
    return this.#reads.get(person) === read;
  }

  /** Everybody whose page may be kept. */
  all(): readonly PersonKey[] {
    return [...this.#reads.keys()];
  }

  changed(people: Iterable<PersonKey>): void {
    if (this.#reads.size === 0) return;
    const stale: PersonKey[] = [];
    for (const person of people) if (this.#reads.delete(person)) stale.push(person);
    if (stale.length > 0) this.#onStale(stale);
  }
}
