/** The people a shard holds in memory: loads what the rules need of them, and lets the idlest go when there is too much. */
import type { NotificationId, PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { series, telemetry } from '../base/telemetry.ts';
import { CountTally } from '../inbox/counts.ts';
import type { InboxStore, PersonHead, StoredRow } from '../inbox/inbox-store.ts';
import type { Place } from '../inbox/item.ts';
import type { Group } from './group.ts';
import { type HeldBy, isHeld } from './is-held.ts';
import { Person } from './person.ts';
import type { ShardMemory } from './shard-memory.ts';

const hits = series('carillon_cache_reads_total', { cache: 'people', result: 'hit' });
const misses = series('carillon_cache_reads_total', { cache: 'people', result: 'miss' });

/** What stays of a full memory: letting go in larger steps means looking for the idlest less often. */
const shareKept = 0.9;

export class PeopleCache {
  readonly #store: InboxStore;
  readonly #memory: ShardMemory;
  readonly #people = new Map<PersonKey, Person>();
  /** Counts calls of `load`: who was used when. */
  #turn = 0;

  constructor(store: InboxStore, memory: ShardMemory) {
    this.#store = store;
    this.#memory = memory;
  }

  get(key: PersonKey): Person | undefined {
    return this.#people.get(key);
  }

  /** The people of these keys, in their order; loads those that are not in memory. Keys may come repeatedly. */
  async load(keys: readonly PersonKey[]): Promise<readonly Person[]> {
    const turn = ++this.#turn;
    const cold = new Set<PersonKey>();
    for (const key of keys) if (!this.#people.has(key)) cold.add(key);
    telemetry.add(misses, cold.size);
    telemetry.add(hits, keys.length - cold.size);
    if (cold.size > 0) await this.#loadCold([...cold]);
    return keys.map((key) => {
      const person = this.#people.get(key) as Person;
      person.usedAt = turn;
      return person;
    });
  }

  /** Reads down the list until all rows with activity at `backToMs` or later are known. */
  async loadBackTo(person: Person, backToMs: number): Promise<void> {
    if (person.isKnownBackTo(backToMs)) return;
    person.marks = await this.#store.marks(person.key);
    while (!person.isKnownBackTo(backToMs)) {
      const rows = await this.#store.rows(person.key, person.readTo, limits.readStepRows);
      const items = rows.flatMap((row) => (row.kind === 'item' ? [row.item] : []));
      const last = rows.at(-1);
      person.addOlder(items, last === undefined ? null : placeOf(last), rows.length < limits.readStepRows);
    }
  }

  /** Brings every row into memory; most leave it again with the next write. */
  async loadAll(person: Person): Promise<void> {
    await this.loadBackTo(person, Number.NEGATIVE_INFINITY);
    for await (const row of this.#rowsOf(person.key)) {
      if (row.kind === 'item' && !person.holds(row.item)) person.addFetched(row.item);
    }
  }

  /** Brings the rows of one group into memory, with their members. */
  async loadGroup(person: Person, groupKey: string): Promise<void> {
    for (const id of person.elsewhere.of(groupKey)) {
      const item = await this.#store.item(person.key, id);
      if (item !== null) person.addFetched(item);
      else person.elsewhere.remove(groupKey, id);
    }
    const chain: Group[] = [];
    for (let group = person.newest(groupKey); group !== null; group = group.older) chain.push(group);
    await this.loadMembers(person, chain);
  }

  /** One row by its id, wherever it is; null if there is none. */
  async loadRow(person: Person, id: NotificationId): Promise<Group | null> {
    const held = person.groups.find(({ item }) => item.id === id);
    if (held !== undefined) return held;
    const item = await this.#store.item(person.key, id);
    if (item === null) return null;
    person.marks = await this.#store.marks(person.key);
    return person.addFetched(item);
  }

  /** Rows that are held so, newest first, as far back as from `nowMs`. */
  async loadHeld(person: Person, by: HeldBy, nowMs: number): Promise<readonly Group[]> {
    person.marks = await this.#store.marks(person.key);
    const held: Group[] = [];
    for await (const row of this.#rowsOf(person.key)) {
      if (row.kind !== 'item') continue;
      if (row.item.activityAtMs < nowMs - limits.heldBackMs) break;
      // What is in memory may be ahead of the store.
      const inMemory = person.holds(row.item) ? person.groupOf(row.item) : null;
      if (isHeld(inMemory?.item ?? row.item, by)) held.push(inMemory ?? person.addFetched(row.item));
    }
    return held;
  }

  async loadMembers(person: Person, groups: readonly Group[]): Promise<void> {
    const cold = groups.filter((group) => group.lacksMembers);
    const loaded = await Promise.all(cold.map((group) => this.#store.members(person.key, group.item.id)));
    for (const [index, group] of cold.entries()) group.useMembers(loaded[index] ?? []);
  }

  /** Looks where the rows stand that `changes` shows. */
  async noteSurface(person: Person): Promise<void> {
    // What this micro-batch puts on top pushes the others down.
    const shown = Math.max(1, limits.changesMax - person.changedItems().length);
    const half = Math.ceil(shown / 2);
    const [floor, surface] = await Promise.all([
      this.#store.placeAt(person.key, shown - 1),
      this.#store.placeAt(person.key, half - 1),
    ]);
    person.noteSurface(surface, shown - half, floor);
  }

  /** Counts the rows that are not in memory, if that matters for the person's counts. */
  async loadForCounts(person: Person, nowMs: number): Promise<void> {
    if (person.countsAreKnown(nowMs)) return;
    person.marks = await this.#store.marks(person.key);
    const tally = new CountTally(person.marks, nowMs);
    for await (const row of this.#rowsOf(person.key)) {
      if (row.kind === 'item' && !person.holds(row.item) && !tally.add(row.item)) break;
    }
    person.tail.set(tally, person.marks, nowMs);
  }

  /** Lets those go who were idle longest, once there is too much. People with unwritten changes stay. */
  evict(): void {
    const { cachedPeopleMax, cachedRowsMax, cachedMembersMax } = this.#memory;
    const held = { people: this.#people.size, rows: 0, members: 0 };
    for (const person of this.#people.values()) addSize(held, person, 1);
    const isFull = (share: number): boolean =>
      held.people > share * cachedPeopleMax ||
      held.rows > share * cachedRowsMax ||
      held.members > share * cachedMembersMax;
    if (!isFull(1)) return;
    const idlest = [...this.#people.values()].sort((a, b) => a.usedAt - b.usedAt);
    for (const person of idlest) {
      if (!isFull(shareKept)) return;
      if (person.isDirty) continue;
      held.people--;
      addSize(held, person, -1);
      this.#people.delete(person.key);
    }
  }

  forget(key?: PersonKey): void {
    if (key === undefined) this.#people.clear();
    else this.#people.delete(key);
  }

  async #loadCold(keys: readonly PersonKey[]): Promise<void> {
    const heads = await Promise.all(keys.map((key) => this.#store.head(key, this.#memory.cachedHeadRows)));
    for (const [index, key] of keys.entries()) {
      const person = new Person(key, heads[index] as PersonHead, this.#memory);
      this.#people.set(key, person);
    }
  }

  async *#rowsOf(key: PersonKey): AsyncIterable<StoredRow> {
    for (let after: Place | null = null; ; ) {
      const rows: readonly StoredRow[] = await this.#store.rows(key, after, limits.readStepRows);
      yield* rows;
      const last: StoredRow | undefined = rows.at(-1);
      if (last === undefined || rows.length < limits.readStepRows) return;
      after = placeOf(last);
    }
  }
}

function addSize(held: { rows: number; members: number }, person: Person, sign: 1 | -1): void {
  const { rows, members } = person.size();
  held.rows += sign * rows;
  held.members += sign * members;
}

function placeOf(row: StoredRow): Place {
  return row.kind === 'item' ? row.item : { activityAtMs: row.place.activityAtMs, id: row.id };
}
