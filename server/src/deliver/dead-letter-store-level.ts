/** Dead letters in LevelDB, for the embedded engine, beside its deliveries: `d<tenant> U+0001 <name>`. */
import { splitPersonKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { LevelDb } from '../inbox/open-level.ts';
import { isMeant } from './dead-letter.ts';
import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from './dead-letter-store.ts';

export class DeadLetterStoreLevel implements DeadLetterStore {
  readonly #db: LevelDb;

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDb) {
    this.#db = db;
  }

  async put(letters: readonly DeadLetter[]): Promise<void> {
    if (this.#db.isBroken) await this.#db.mend();
    const batch = this.#db.batch();
    for (const letter of letters) {
      const known = this.#db.getSync(keyOf(letter));
      if (known === undefined || decode(known).version <= letter.version)
        batch.put(keyOf(letter), JSON.stringify(letter));
    }
    await batch.write();
  }

  async page(
    tenant: TenantId,
    filter: DeadLetterFilter,
    after: string | null,
    max: number,
  ): Promise<readonly DeadLetter[]> {
    const found: DeadLetter[] = [];
    for await (const letter of this.#of(tenant, after)) {
      if (found.length === max) break;
      if (isMeant(letter, filter)) found.push(letter);
    }
    return found;
  }

  async count(tenant: TenantId, filter: DeadLetterFilter): Promise<number> {
    let count = 0;
    for await (const letter of this.#of(tenant, null)) if (isMeant(letter, filter)) count++;
    return count;
  }

  async remove(letters: readonly Pick<DeadLetter, 'person' | 'name'>[]): Promise<void> {
    if (this.#db.isBroken) await this.#db.mend();
    const batch = this.#db.batch();
    for (const letter of letters) batch.del(keyOf(letter));
    await batch.write();
  }

  async expire(beforeMs: number): Promise<number> {
    const old: DeadLetter[] = [];
    for await (const text of this.#db.values({ gte: 'd', lt: 'e' })) {
      const letter = decode(text);
      if (letter.diedAtMs < beforeMs) old.push(letter);
      if (old.length === limits.deliveriesExpireStep) break;
    }
    if (old.length > 0) await this.remove(old);
    return old.length;
  }

  async *#of(tenant: TenantId, after: string | null): AsyncIterable<DeadLetter> {
    const range = { gt: prefixOf(tenant) + (after ?? ''), lt: `d${tenant}\u0002` };
    for await (const text of this.#db.values(range)) yield decode(text);
  }
}

function prefixOf(tenant: TenantId): string {
  return `d${tenant}\u0001`;
}

function keyOf({ person, name }: Pick<DeadLetter, 'person' | 'name'>): string {
  return prefixOf(splitPersonKey(person).tenant) + name;
}

function decode(text: string): DeadLetter {
  return JSON.parse(text) as DeadLetter;
}
