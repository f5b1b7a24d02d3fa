/** Dead letters in memory, for tests and the simulation. */
import { splitPersonKey, type TenantId } from '../base/ids.ts';
import { isMeant } from './dead-letter.ts';
import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from './dead-letter-store.ts';

export class DeadLetterStoreMemory implements DeadLetterStore {
  readonly #letters = new Map<string, DeadLetter>();

  async put(letters: readonly DeadLetter[]): Promise<void> {
    for (const letter of letters) {
      const known = this.#letters.get(keyOf(letter));
      if (known === undefined || known.version <= letter.version) this.#letters.set(keyOf(letter), letter);
    }
  }

  async page(
    tenant: TenantId,
    filter: DeadLetterFilter,
    after: string | null,
    max: number,
  ): Promise<readonly DeadLetter[]> {
    const found = this.#of(tenant, filter).filter(({ name }) => after === null || name > after);
    return found.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, max);
  }

  async count(tenant: TenantId, filter: DeadLetterFilter): Promise<number> {
    return this.#of(tenant, filter).length;
  }

  async remove(letters: readonly Pick<DeadLetter, 'person' | 'name'>[]): Promise<void> {
    for (const letter of letters) this.#letters.delete(keyOf(letter));
  }

  async expire(beforeMs: number): Promise<number> {
    const old = [...this.#letters.values()].filter(({ diedAtMs }) => diedAtMs < beforeMs);
    await this.remove(old);
    return old.length;
  }

  #of(tenant: TenantId, filter: DeadLetterFilter): DeadLetter[] {
    return [...this.#letters.values()].filter(
      (letter) => splitPersonKey(letter.person).tenant === tenant && isMeant(letter, filter),
    );
  }
}

function keyOf({ person, name }: Pick<DeadLetter, 'person' | 'name'>): string {
  return `${splitPersonKey(person).tenant} ${name}`;
}
