/** The people a shard holds in memory; whoever was idle longest goes when there are too many, or too many rows or members. */
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { InboxStore, StoredRow } from '../inbox/inbox-store.ts';
import type { Place } from '../inbox/item.ts';
import type { Group } from './group.ts';
import { Members } from './members.ts';
import { Person } from './person.ts';

/** Rows read for a person who is not in memory: the newest, enough for most people to be whole. */
const headRows = 64;
/** Rows read at a time when older ones matter. */
const olderRows = 512;

export class PeopleCache {
  readonly #store: InboxStore;
  /** In order of last use. */
  readonly #people = new Map<PersonKey, Person>();

  constructor(store: InboxStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#people.size;
  }

  get(key: PersonKey): Person | undefined {
    return this.#people.get(key);
  }

  /** Loads those of `keys` that are not in memory, and counts all of them as used now. */
  async load(keys: Iterable<PersonKey>): Promise<void> {
    const cold: PersonKey[] = [];
    for (const key of keys) {
      const person = this.#people.get(key);
      if (person === undefined) cold.push(key);
      else {
        this.#people.delete(key);
        this.#people.set(key, person);
      }
    }
    const heads = await Promise.all(cold.map((key) => this.#store.head(key, headRows)));
    for (const [index, key] of cold.entries()) {
      const head = heads[index];
      if (head !== undefined) this.#people.set(key, new Person(key, head));
    }
  }

  /** Loads older rows until those with activity at `backToMs` are among them. */
  async loadBackTo(person: Person, backToMs: number): Promise<void> {
    let after = person.lastPlace;
    while (person.loadedBackToMs > backToMs) {
      const rows = await this.#store.rows(person.key, after, olderRows);
      person.marks = await this.#store.marks(person.key);
      const items = rows.flatMap((row) => (row.kind === 'item' ? [row.item] : []));
      person.addOlder(items, rows.length < olderRows);
      const last = rows.at(-1);
      if (last !== undefined) after = placeOf(last);
    }
  }

  /** Loads older rows until the person's counts can be told from memory. */
  async loadForCounts(person: Person, nowMs: number): Promise<void> {
    while (!person.isComplete && !person.countsAreKnown(nowMs)) {
      await this.loadBackTo(person, person.loadedBackToMs - 1);
    }
  }

  async loadMembers(person: Person, groups: readonly Group[]): Promise<void> {
    const cold = groups.filter((group) => group.memberSet === null);
    const loaded = await Promise.all(cold.map((group) => this.#store.members(person.key, group.item.id)));
    for (const [index, group] of cold.entries()) group.memberSet = new Members(loaded[index]);
  }

  /** Keeps within the limits. `isHeld` people stay whatever happens: they have unwritten changes. */
  evict(): void {
    let rows = 0;
    let members = 0;
    for (const person of this.#people.values()) {
      rows += person.rows.length;
      members += person.memberCount;
    }
    for (const [key, person] of this.#people) {
      const isFull =
        this.#people.size > limits.cachedPeopleMax || rows > limits.cachedRowsMax || members > limits.cachedMembersMax;
      if (!isFull) return;
      if (person.isDirty) continue;
      rows -= person.rows.length;
      members -= person.memberCount;
      this.#people.delete(key);
    }
  }

  forget(key: PersonKey): void {
    this.#people.delete(key);
  }
}

function placeOf(row: StoredRow): Place {
  return row.kind === 'item' ? row.item : { activityAtMs: row.place.activityAtMs, id: row.id };
}
