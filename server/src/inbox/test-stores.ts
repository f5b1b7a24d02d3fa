/** Both embedded stores for tests: fresh ones as often as wanted, the durable one in a folder that goes afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InboxStore } from './inbox-store.ts';
import { InboxStoreLevel } from './inbox-store-level.ts';
import { InboxStoreMemory } from './inbox-store-memory.ts';
import { type LevelDb, openLevel } from './open-level.ts';

export interface TestStores {
  readonly name: string;
  open(): Promise<InboxStore>;
  close(): Promise<void>;
}

export class LevelTestStores implements TestStores {
  readonly name = 'LevelDB';
  #folder: string | null = null;
  #db: LevelDb | null = null;
  #stores = 0;

  /** Each store lies under a prefix of its own, between neighbours that must not disturb it. */
  async open(): Promise<InboxStore> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'carillon-inbox-'));
    this.#db ??= await openLevel(this.#folder);
    this.#stores++;
    return this.#store(this.#db);
  }

  /** The newest store again, on a database opened anew. */
  async reopen(): Promise<InboxStore> {
    await this.#db?.close();
    this.#db = await openLevel(this.#folder as string);
    return this.#store(this.#db);
  }

  async close(): Promise<void> {
    await this.#db?.close();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true });
  }

  #store(db: LevelDb): InboxStoreLevel {
    return new InboxStoreLevel(db, `inbox${this.#stores}/`);
  }
}

export function testStores(): TestStores[] {
  const memory = { name: 'memory', open: async () => new InboxStoreMemory(), close: async () => {} };
  return [memory, new LevelTestStores()];
}
