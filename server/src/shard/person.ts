/**
 * One person's inbox as the shard holds it while it owns them.
 *
 * In memory are the newest rows (`rows`) and the marks; of older rows only where to find them, by the fingerprint of
 * their group key. `isKnownBackTo` says how far back in time that knowledge reaches: a group key that is not known
 * there has no row, and costs no read. It answers the rules' questions (`RecipientFacts`) once `PeopleCache` has
 * loaded what they need.
 */
import type { Counts } from '@carillon/contract/notification.ts';
import { fingerprintOf } from '../base/hash.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { thingGone } from '../decide/keys.ts';
import type { RecipientFacts } from '../decide/recipient-facts.ts';
import { CountTally } from '../inbox/counts.ts';
import type { PersonHead } from '../inbox/inbox-store.ts';
import type { Item, Marks, PersonWrite, Place } from '../inbox/item.ts';
import { idTimeMs } from '../inbox/notification-id.ts';
import { Group } from './group.ts';
import type { Members } from './members.ts';
import { toPersonWrite } from './person-write.ts';

/** One busy group beyond the newest rows is kept in memory for so many rows. */
const straysShare = 16;

/** A part of the counts, true under these marks and until a snoozed row comes back. */
interface Tail {
  readonly unread: number;
  readonly unseen: number;
  readonly marksVersion: Revision;
  readonly untilMs: number;
}

export class Person implements RecipientFacts {
  readonly key: PersonKey;
  readonly tenant: string;
  readonly user: string;
  /** When it was last used, in turns of the cache. */
  usedAt = 0;
  /** Newest first, as the list shows them. */
  readonly rows: Group[] = [];
  /** No rows exist beyond `rows`. */
  isComplete = false;
  marks: Marks;
  /** Greatest revision of any change so far. */
  revision: Revision;
  deepRevision: Revision;
  /** Unread and unseen among rows beyond `rows`, under these marks; null while not known. */
  tail: Tail | null = null;
  readonly #newest = new Map<string, Group>();
  /** Rows that are known and not in memory, by fingerprint of their group key. */
  #elsewhere: Map<number, NotificationId[]> | null = null;
  #gone: Set<string> | null = null;
  readonly #rowsKept: number;
  readonly #straysKept: number;
  #knownBackToMs = Number.POSITIVE_INFINITY;
  #dirty: Group[] = [];
  /** In memory by themselves, beyond the newest rows: fetched, or busy groups that the newest rows have overtaken. */
  #strays: Group[] = [];
  #isDeepDirty = false;
  /** A row that may lie deep is to be written. */
  #hasChangesBeyond = false;
  #surface: { readonly place: Place; rowsLeft: number } = { place: lastPlace, rowsLeft: 0 };
  #isFirstWrite: boolean;

  /** `rowsKept`: newest rows to keep in memory. */
  constructor(key: PersonKey, head: PersonHead, rowsKept: number = limits.cachedRowsPerPerson) {
    const { tenant, user } = splitPersonKey(key);
    this.key = key;
    this.#rowsKept = rowsKept;
    this.#straysKept = Math.ceil(rowsKept / straysShare);
    this.tenant = tenant;
    this.user = user;
    this.marks = head.marks;
    this.deepRevision = head.deepRevision;
    this.revision = head.deepRevision;
    this.#isFirstWrite = head.complete && head.items.length === 0;
    this.addOlder(head.items, head.complete);
  }

  get isDirty(): boolean {
    return this.#dirty.length > 0;
  }

  newest(groupKey: string): Group | null {
    return this.#newest.get(groupKey) ?? null;
  }

  isGone(thing: string): boolean {
    return this.#gone?.has(thing) ?? false;
  }

  about(thing: string): readonly Group[] {
    return this.rows.filter((group) => concerns(group, thing));
  }

  isKnownBackTo(timeMs: number): boolean {
    return this.#knownBackToMs <= timeMs;
  }

  /** Rows of this group key that must be fetched before the rules may ask for it. */
  idsElsewhere(groupKey: string): readonly NotificationId[] {
    return this.#elsewhere?.get(fingerprintOf(groupKey)) ?? none;
  }

  get lastPlace(): Place | null {
    const last = this.rows.at(-1);
    return last === undefined ? null : { activityAtMs: last.item.activityAtMs, id: last.item.id };
  }

  /** How many rows and members are held, for the cache's limits. */
  size(): { rows: number; members: number } {
    let members = 0;
    for (const { memberSet } of this.rows) members += memberSet?.size ?? 0;
    for (const { memberSet } of this.#strays) members += memberSet?.size ?? 0;
    return { rows: this.rows.length + (this.#elsewhere?.size ?? 0) / 8, members };
  }

  /** Rows older than all in `rows`, newest first, behind which there are no more if `isComplete`. */
  addOlder(items: readonly Item[], isComplete: boolean): void {
    for (const item of items) {
      const group = this.#strayOf(item) ?? new Group(item, null, this);
      group.isRow = true;
      this.rows.push(group);
      this.#index(group);
      this.revision = Math.max(this.revision, item.revision);
    }
    this.isComplete = isComplete;
    this.tail = null;
    const oldestMs = this.rows.at(-1)?.item.activityAtMs ?? Number.POSITIVE_INFINITY;
    this.#knownBackToMs = Math.min(this.#knownBackToMs, isComplete ? Number.NEGATIVE_INFINITY : oldestMs);
  }

  /** A row from elsewhere, fetched by itself. */
  addStray(item: Item): void {
    const group = new Group(item, null, this);
    this.#strays.push(group);
    this.#index(group);
  }

  newGroup(item: Item, members: Members): Group {
    const group = new Group(item, members, this);
    this.#insert(group);
    this.#index(group);
    return group;
  }

  groupOf(item: Item): Group {
    for (let group = this.newest(item.groupKey); group !== null; group = group.older) {
      if (group.item === item) return group;
    }
    throw new Error(`row ${item.id} is not loaded`);
  }

  /** Takes a row out of the order while its place changes, and puts it back. */
  reorder(group: Group, change: () => void): void {
    if (group.isRow) this.rows.splice(this.rows.indexOf(group), 1);
    change();
    this.#insert(group);
  }

  /** Notes that the row must be written. */
  touch(group: Group): void {
    this.revision = Math.max(this.revision, group.item.revision);
    if (!group.isRow || this.rows.length > limits.changesMax) this.#hasChangesBeyond = true;
    if (!group.isRow && group.item.state !== group.countedState) {
      group.countedState = group.item.state;
      this.tail = null;
    }
    if (!this.#dirty.includes(group)) this.#dirty.push(group);
  }

  /** Some changed row may lie so deep that `changes` does not show it; to be found out before the write. */
  get mayHaveDeepChanges(): boolean {
    if (!this.#hasChangesBeyond) return false;
    const { place, rowsLeft } = this.#surface;
    return rowsLeft <= 0 || this.#dirty.some(({ item }) => comesBefore(place, item));
  }

  /**
   * `floor`: the last place whose changes `changes` shows; readers who may have missed others must load again.
   * `surface`: a place that stays above it until `rowsLeft` more rows have come on top.
   */
  noteDeep(floor: Place | null, surface: Place | null, rowsLeft: number): void {
    this.#surface = { place: surface ?? lastPlace, rowsLeft };
    if (floor === null || !this.#dirty.some(({ item }) => comesBefore(floor, item))) return;
    this.deepRevision = this.revision;
    this.#isDeepDirty = true;
  }

  /** Rows in memory are enough to count. */
  countsAreKnown(nowMs: number): boolean {
    if (this.isComplete) return true;
    const { tail } = this;
    if (tail !== null && tail.marksVersion === this.marks.version && nowMs < tail.untilMs) return true;
    return this.#tally(nowMs).isFull;
  }

  /** As the list shows them; `countsAreKnown` says whether they can be told. */
  counts(nowMs: number): Counts {
    const tally = this.#tally(nowMs);
    if (!this.isComplete && this.tail !== null) tally.addAll(this.tail);
    return tally.counts(this.revision);
  }

  changedItems(): readonly Item[] {
    return this.#dirty.map((group) => group.item);
  }

  toWrite(): PersonWrite {
    const notesDeep = this.#isDeepDirty || this.#isFirstWrite;
    return toPersonWrite(this.key, this.#dirty, notesDeep ? this.deepRevision : null);
  }

  written(): void {
    for (const group of this.#dirty) group.written();
    this.#dirty = [];
    this.#isDeepDirty = false;
    this.#hasChangesBeyond = false;
    this.#isFirstWrite = false;
    if (this.rows.length > 2 * this.#rowsKept) this.#dropOldest();
    if (this.#strays.length > 0) this.#dropStrays();
  }

  /** Keeps the newest rows only. */
  #dropOldest(): void {
    const dropped = this.rows.splice(this.#rowsKept);
    for (const group of dropped) {
      group.isRow = false;
      group.countedState = group.item.state;
      this.#strays.push(group);
    }
    this.tail = this.#tailWith(dropped);
    this.isComplete = false;
    this.#forgetLongAgo();
  }

  /** The tail once these rows are part of it, if that can be told without reading. */
  #tailWith(dropped: readonly Group[]): Tail | null {
    const { marks, isComplete, tail } = this;
    const marksVersion = marks.version;
    if (!isComplete && tail?.marksVersion !== marksVersion) return null;
    // Rows that are snoozed come and go by themselves.
    if ([...marks.items.values()].some(({ snoozedUntilMs }) => (snoozedUntilMs?.value ?? 0) > 0)) return null;
    const tally = new CountTally(marks, 0);
    if (!isComplete && tail !== null) tally.addAll(tail);
    for (const { item } of dropped) tally.add(item);
    return { ...tally.exact(), marksVersion, untilMs: Number.POSITIVE_INFINITY };
  }

  /** Keeps the knowledge of rows elsewhere to the times that events still come from. */
  #forgetLongAgo(): void {
    const elsewhere = this.#elsewhere;
    if (elsewhere === null || elsewhere.size <= limits.cachedElsewhereMax) return;
    const backToMs = (this.rows[0]?.item.activityAtMs ?? 0) - limits.cachedElsewhereMs;
    for (const [fingerprint, ids] of elsewhere) {
      // A row stands at most a group's span after the time in its id.
      if (ids.every((id) => idTimeMs(id) + limits.groupSpanMs < backToMs)) elsewhere.delete(fingerprint);
    }
    this.#knownBackToMs = Math.max(this.#knownBackToMs, backToMs);
  }

  /** Of what is by itself, keeps the groups that would cost most to load again; of the others, where they are. */
  #dropStrays(): void {
    const strays = this.#strays.filter((group) => !group.isRow);
    const costly = strays.filter(({ memberSet }) => (memberSet?.size ?? 0) > limits.openingMembersMax);
    const kept = new Set(costly.sort((a, b) => b.item.revision - a.item.revision).slice(0, this.#straysKept));
    for (const group of strays) if (!kept.has(group)) this.#leave(group);
    this.#strays = [...kept];
  }

  /** Takes a row out of memory and remembers where it is. */
  #leave(group: Group): void {
    const { groupKey, id } = group.item;
    this.#unlink(group);
    const fingerprint = fingerprintOf(groupKey);
    this.#elsewhere ??= new Map();
    const ids = this.#elsewhere.get(fingerprint);
    if (ids === undefined) this.#elsewhere.set(fingerprint, [id]);
    else if (!ids.includes(id)) ids.push(id);
  }

  #tally(nowMs: number): CountTally {
    const tally = new CountTally(this.marks, nowMs);
    for (const { item } of this.rows) if (!tally.add(item)) break;
    return tally;
  }

  #strayOf(item: Item): Group | null {
    return this.#strays.find((group) => group.item.id === item.id) ?? null;
  }

  /** Puts a row where it belongs. Behind the rows in memory there may be others: then it stays by itself. */
  #insert(group: Group): void {
    this.#surface.rowsLeft--;
    const at = placeIn(this.rows, group.item);
    const isBeyond = at === this.rows.length && !this.isComplete;
    if (isBeyond || !(group.isRow || group.isNew)) this.tail = null;
    group.isRow = !isBeyond;
    if (group.isRow) this.rows.splice(at, 0, group);
    else if (!this.#strays.includes(group)) this.#strays.push(group);
  }

  /** Hangs the row into the chain of its group key, newest first, and out of what is elsewhere. */
  #index(group: Group): void {
    const { groupKey, id } = group.item;
    this.forgetElsewhere(groupKey, id);
    const thing = thingGone(groupKey);
    if (thing !== null) this.#gone = (this.#gone ?? new Set()).add(thing);
    let newer: Group | null = null;
    let next = this.#newest.get(groupKey) ?? null;
    while (next !== null && next !== group && next.item.createdRevision > group.item.createdRevision) {
      newer = next;
      next = next.older;
    }
    if (next === group) return;
    group.older = next;
    if (newer === null) this.#newest.set(groupKey, group);
    else newer.older = group;
  }

  #unlink(group: Group): void {
    const { groupKey } = group.item;
    const newest = this.#newest.get(groupKey);
    if (newest === group) {
      if (group.older === null) this.#newest.delete(groupKey);
      else this.#newest.set(groupKey, group.older);
    } else {
      for (let other = newest ?? null; other !== null; other = other.older) {
        if (other.older === group) other.older = group.older;
      }
    }
    group.older = null;
  }

  /** The row is in memory now, or is no more. */
  forgetElsewhere(groupKey: string, id: NotificationId): void {
    if (this.#elsewhere === null) return;
    const fingerprint = fingerprintOf(groupKey);
    const ids = this.#elsewhere.get(fingerprint)?.filter((other) => other !== id);
    if (ids === undefined) return;
    if (ids.length === 0) this.#elsewhere.delete(fingerprint);
    else this.#elsewhere.set(fingerprint, ids);
  }
}

const none: readonly NotificationId[] = [];

/** Behind every row. */
const lastPlace: Place = { activityAtMs: Number.NEGATIVE_INFINITY, id: '' as NotificationId };

/** Where an item belongs among rows in list order: the number of rows before it. */
function placeIn(rows: readonly Group[], item: Item): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comesBefore((rows[middle] as Group).item, item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** List order: newest activity first, then id. */
function comesBefore(a: Place, b: Place): boolean {
  return a.activityAtMs > b.activityAtMs || (a.activityAtMs === b.activityAtMs && a.id < b.id);
}

function concerns(group: Group, thing: string): boolean {
  const { item } = group;
  if (item.groupKey.endsWith(`\u0001${thing}`)) return true;
  const { object } = item;
  if (`${object.kind}:${object.id}` === thing) return true;
  if (object.parent !== null && `${object.parent.kind}:${object.parent.id}` === thing) return true;
  if (group.lacksMembers) return false;
  for (const member of group.members()) if (member.thing === thing) return true;
  return false;
}
