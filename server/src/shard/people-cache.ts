/** The people a shard holds in memory: loads what the rules need of them, and lets the idlest go when there is too much. */
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { series, telemetry } from '../base/telemetry.ts';
import { CountTally } from '../inbox/counts.ts';
import type { InboxStore, StoredRow } from '../inbox/inbox-store.ts';
import type { Marks, Place } from '../inbox/item.ts';
import type { Group } from './group.ts';
import { Members } from './members.ts';
import { Person } from './person.ts';
import type { ShardMemory } from './shard-memory.ts';

export class PeopleCache {
  readonly #store: InboxStore;
  readonly #memory: ShardMemory;
  readonly #people = new Map<PersonKey, Person>();

  constructor(store: InboxStore, memory: ShardMemory) {
    this.#store = store;
    this.#memory = memory;
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
    if (cold.length === 0) return;
    const heads = await Promise.all(cold.map((key) => this.#store.head(key, this.#memory.cachedHeadRows)));
    for (const [index, key] of cold.entries()) {
      const head = heads[index];
      if (head !== undefined) this.#people.set(key, new Person(key, head, this.#memory.cachedRowsPerPerson));
    }
  }

  /** Brings older rows into memory until all with activity at `backToMs` or later are known. */
  async loadBackTo(person: Person, backToMs: number): Promise<void> {
    await this.#loadOlder(person, () => person.isKnownBackTo(backToMs));
  }

  /** Brings every row into memory; those beyond the newest leave again with the next write. */
  async loadAll(person: Person): Promise<void> {
    await this.#loadOlder(person, () => person.isComplete);
  }

  /** Brings the rows of one group into memory, with their members. */
  async loadGroup(person: Person, groupKey: string): Promise<void> {
    for (const id of [...person.idsElsewhere(groupKey)]) {
      const item = await this.#store.item(person.key, id);
      if (item !== null) person.addStray(item);
      else person.forgetElsewhere(groupKey, id);
    }
    const chain: Group[] = [];
    for (let group = person.newest(groupKey); group !== null; group = group.older) chain.push(group);
    await this.loadMembers(person, chain);
  }

  async loadMembers(person: Person, groups: readonly Group[]): Promise<void> {
    const cold = groups.filter((group) => group.memberSet === null);
    const loaded = await Promise.all(cold.map((group) => this.#store.members(person.key, group.item.id)));
    for (const [index, group] of cold.entries()) group.memberSet = new Members(loaded[index]);
  }

  /** Counts what lies beyond the rows in memory, if that matters for the person's counts. */
  async loadForCounts(person: Person, nowMs: number): Promise<void> {
    if (person.countsAreKnown(nowMs)) return;
    person.marks = await this.#store.marks(person.key);
    const tally = new CountTally(person.marks, nowMs);
    for await (const row of this.#rowsAfter(person.key, person.lastPlace)) {
      if (row.kind === 'item' && !tally.add(row.item)) break;
    }
    person.tail = { ...tally.exact(), marksVersion: person.marks.version, untilMs: nextSnoozeEnd(person.marks, nowMs) };
  }

  /** Lets those go who were idle longest, once there is too much. People with unwritten changes stay. */
  evict(): void {
    let rows = 0;
    let members = 0;
    for (const person of this.#people.values()) {
      const size = person.size();
      rows += size.rows;
      members += size.members;
    }
    for (const [key, person] of this.#people) {
      const { cachedPeopleMax, cachedRowsMax, cachedMembersMax } = this.#memory;
      if (this.#people.size <= cachedPeopleMax && rows <= cachedRowsMax && members <= cachedMembersMax) return;
      if (person.isDirty) continue;
      held.people--;
      addSize(held, person, -1);
      this.#people.delete(person.key);
    }
  }

  forget(key: PersonKey): void {
    this.#people.delete(key);
  }

  async #loadOlder(person: Person, isEnough: () => boolean): Promise<void> {
    if (isEnough()) return;
    person.marks = await this.#store.marks(person.key);
    for (let after = person.lastPlace; !isEnough(); ) {
      const rows = await this.#store.rows(person.key, after, limits.readStepRows);
      person.addOlder(
        rows.flatMap((row) => (row.kind === 'item' ? [row.item] : [])),
        rows.length < limits.readStepRows,
      );
      const last = rows.at(-1);
      if (last !== undefined) after = placeOf(last);
    }
  }

  async *#rowsAfter(key: PersonKey, from: Place | null): AsyncIterable<StoredRow> {
    for (let after = from; ; ) {
      const rows = await this.#store.rows(key, after, limits.readStepRows);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < limits.readStepRows) return;
      after = placeOf(last);
    }
  }
}

function placeOf(row: StoredRow): Place {
  return row.kind === 'item' ? row.item : { activityAtMs: row.place.activityAtMs, id: row.id };
}

/** When the next snoozed row comes back, and with it the counts change. */
function nextWakeMs(marks: Marks, nowMs: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { snoozedUntilMs } of marks.items.values()) {
    const untilMs = snoozedUntilMs?.value ?? 0;
    if (untilMs > nowMs) next = Math.min(next, untilMs);
  }
  return next;
}
