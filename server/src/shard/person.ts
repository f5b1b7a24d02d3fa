/**
 * One person's inbox as the shard holds it while it owns them: the newest rows, what is known of older ones, the marks.
 * It answers the rules' questions (`RecipientFacts`) from memory; `missing` says what must be loaded first.
 */
import type { PersonKey, Revision } from '../base/ids.ts';
import { splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { goneKey } from '../decide/keys.ts';
import type { RecipientFacts } from '../decide/recipient-facts.ts';
import { CountTally } from '../inbox/counts.ts';
import type { PersonHead } from '../inbox/inbox-store.ts';
import type { Item, Marks, PersonWrite, Place } from '../inbox/item.ts';
import { Group } from './group.ts';

const none: readonly Group[] = [];

export class Person implements RecipientFacts {
  readonly key: PersonKey;
  readonly tenant: string;
  readonly user: string;
  /** Newest first, as the list shows them. */
  readonly rows: Group[] = [];
  /** No rows exist beyond `rows`. */
  isComplete: boolean;
  marks: Marks;
  /** Greatest revision of any change so far. */
  revision: Revision;
  deepRevision: Revision;
  readonly #byKey = new Map<string, Group[]>();
  readonly #marksNow = (): Marks => this.marks;
  #dirty: Group[] = [];
  #isDeepDirty = false;

  constructor(key: PersonKey, head: PersonHead) {
    const { tenant, user } = splitPersonKey(key);
    this.key = key;
    this.tenant = tenant;
    this.user = user;
    this.isComplete = head.complete;
    this.marks = head.marks;
    this.deepRevision = head.deepRevision;
    this.revision = head.deepRevision;
    this.addOlder(head.items, head.complete);
  }

  get memberCount(): number {
    return this.rows.reduce((sum, { memberSet }) => sum + (memberSet?.size ?? 0), 0);
  }

  get isDirty(): boolean {
    return this.#dirty.length > 0;
  }

  groups(groupKey: string): readonly Group[] {
    return this.#byKey.get(groupKey) ?? none;
  }

  isGone(thing: string): boolean {
    return this.#byKey.has(goneKey(thing));
  }

  about(thing: string): readonly Group[] {
    return this.rows.filter((group) => concerns(group, thing));
  }

  /** Loaded rows reach back to this event time; `NEGATIVE_INFINITY` when all are loaded. */
  get loadedBackToMs(): number {
    if (this.isComplete) return Number.NEGATIVE_INFINITY;
    return this.rows.at(-1)?.item.activityAtMs ?? Number.POSITIVE_INFINITY;
  }

  get lastPlace(): Place | null {
    const last = this.rows.at(-1);
    return last === undefined ? null : { activityAtMs: last.item.activityAtMs, id: last.item.id };
  }

  /** Rows older than all that are loaded, newest first. */
  addOlder(items: readonly Item[], isComplete: boolean): void {
    for (const item of items) {
      const group = new Group(item, null, this.#marksNow);
      this.rows.push(group);
      this.#index(group);
      this.revision = Math.max(this.revision, item.revision);
    }
    this.isComplete = isComplete;
  }

  newGroup(item: Item, members: Group['memberSet']): Group {
    const group = new Group(item, members, this.#marksNow);
    this.rows.splice(this.#placeOf(item), 0, group);
    this.#index(group);
    this.touch(group);
    return group;
  }

  groupOf(item: Item): Group {
    const group = this.groups(item.groupKey).find((each) => each.item === item);
    if (group === undefined) throw new Error(`row ${item.id} is not loaded`);
    return group;
  }

  /** Takes a row out of the order while its place changes, and puts it back. */
  reorder(group: Group, change: () => void): void {
    this.rows.splice(this.rows.indexOf(group), 1);
    change();
    this.rows.splice(this.#placeOf(group.item), 0, group);
  }

  /** Notes that the row must be written. A row beyond the newest ones is noted in `deepRevision` too. */
  touch(group: Group): void {
    this.revision = Math.max(this.revision, group.item.revision);
    if (this.rows.length > limits.changesMax && this.rows.indexOf(group) >= limits.changesMax) {
      this.deepRevision = this.revision;
      this.#isDeepDirty = true;
    }
    if (group.isDirty) return;
    group.isDirty = true;
    this.#dirty.push(group);
  }

  /** The loaded rows are enough to count: all there are, or more than the counts go up to. */
  countsAreKnown(nowMs: number): boolean {
    if (this.isComplete) return true;
    const tally = new CountTally(this.marks, nowMs);
    return this.rows.some(({ item }) => !tally.add(item));
  }

  changedItems(): readonly Item[] {
    return this.#dirty.map((group) => group.item);
  }

  toWrite(): PersonWrite {
    return {
      person: this.key,
      items: this.#dirty.map(({ item, movedFrom, droppedFormer }) => ({ item, movedFrom, droppedFormer })),
      members: this.#dirty
        .filter((group) => group.changed.size > 0)
        .map(({ item, changed }) => ({ item: item.id, revision: item.revision, members: [...changed.values()] })),
      deepRevision: this.#isDeepDirty ? this.deepRevision : null,
    };
  }

  written(): void {
    for (const group of this.#dirty) group.written();
    this.#dirty = [];
    this.#isDeepDirty = false;
  }

  #index(group: Group): void {
    const same = this.#byKey.get(group.item.groupKey);
    if (same === undefined) this.#byKey.set(group.item.groupKey, [group]);
    else {
      same.push(group);
      same.sort((a, b) => b.item.createdRevision - a.item.createdRevision);
    }
  }

  /** Where a row belongs: the number of rows that come before it. */
  #placeOf(item: Item): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comesBefore((this.rows[middle] as Group).item, item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** List order: newest activity first, then id. */
export function comesBefore(a: Place, b: Place): boolean {
  return a.activityAtMs > b.activityAtMs || (a.activityAtMs === b.activityAtMs && a.id < b.id);
}

function concerns({ item, memberSet }: Group, thing: string): boolean {
  if (item.groupKey.endsWith(`\u0001${thing}`)) return true;
  const { object } = item;
  if (`${object.kind}:${object.id}` === thing) return true;
  if (object.parent !== null && `${object.parent.kind}:${object.parent.id}` === thing) return true;
  if (memberSet === null) return false;
  for (const member of memberSet) if (member.thing === thing) return true;
  return false;
}
