/**
 * One person's inbox as the shard holds it while it owns them.
 *
 * In memory are the rows that may still grow, and the marks. Of all other rows that are known there is only where to
 * find them, by the fingerprint of their group key, and what they add to the counts (`tail`): most rows are written
 * once and never looked at again, and memory must not hold them. `isKnownBackTo` says how far back in time the
 * knowledge reaches: a group key that is not known there has no row, and costs no read. The person answers the rules'
 * questions (`RecipientFacts`) once `PeopleCache` has loaded what they need.
 */
import type { Counts } from '@carillon/contract/notification.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import type { Verdict } from '../decide/judge-source.ts';
import { thingGone } from '../decide/keys.ts';
import { type AccessTimes, always, type RecipientFacts } from '../decide/recipient-facts.ts';
import { CountTally } from '../inbox/counts.ts';
import { isFilteredKey } from '../inbox/filtered-key.ts';
import type { PersonHead } from '../inbox/inbox-store.ts';
import type { Item, Marks, PersonWrite, Place } from '../inbox/item.ts';
import { Besides } from './besides.ts';
import { concerns } from './concerns.ts';
import { Group, mayGrow } from './group.ts';
import { HeldCounts } from './held-counts.ts';
import { noteAccess } from './note-access.ts';
import { toPersonWrite } from './person-write.ts';
import { RecentPlaces } from './recent-places.ts';
import { RowsElsewhere } from './rows-elsewhere.ts';
import type { ShardMemory } from './shard-memory.ts';
import { Surface } from './surface.ts';
import { Tail } from './tail.ts';
import { Wishes } from './wishes.ts';

/** Of the shard's memory, what one person must know. */
export type PersonMemory = Pick<ShardMemory, 'cachedRowsPerPerson' | 'exactPeopleMax'>;

export class Person implements RecipientFacts {
  readonly key: PersonKey;
  readonly tenant: string;
  readonly user: string;
  /** When it was last used, in turns of the cache. */
  usedAt = 0;
  /** Some row may be in the filtered view. */
  hasFiltered = false;
  marks: Marks;
  /** Greatest revision of any change so far. */
  revision: Revision;
  /** The same before the micro-batch at hand. */
  revisionBefore: Revision;
  deepRevision: Revision;
  /** What rows that are not in memory add to the counts. */
  readonly tail: Tail;
  readonly exactPeopleMax: number;
  readonly elsewhere = new RowsElsewhere();
  readonly #rowsKept: number;
  /** In memory, in no order. */
  readonly #groups: Group[] = [];
  readonly #newest = new Map<string, Group>();
  #gone: Set<string> | null = null;
  #access: Map<string, AccessTimes> | null = null;
  #knownBackToMs = Number.POSITIVE_INFINITY;
  /** The furthest back that an event asked for since rows were forgotten last. */
  #neededBackToMs = Number.POSITIVE_INFINITY;
  #readTo: Place | null = null;
  readonly #counts = new HeldCounts();
  /** The counts tell of all that is in memory. */
  #isCounted = false;
  readonly #surface: Surface;
  /** So many rows may be in memory before it is looked which can go. */
  #sweepAbove = sweepAboveMin;
  /** Counts rows that came, or moved: each pushes the others down by one at most. */
  #rowsCame = 0;
  readonly #places: RecentPlaces;
  #dirty: Group[] = [];
  #fetched: Group[] = [];
  #isDeepDirty = false;
  #isFirstWrite: boolean;
  readonly wishes = new Wishes();
  readonly besides: Besides;

  constructor(key: PersonKey, head: PersonHead, memory: PersonMemory = limits) {
    const { tenant, user } = splitPersonKey(key);
    this.key = key;
    this.tenant = tenant;
    this.user = user;
    this.#rowsKept = memory.cachedRowsPerPerson;
    this.exactPeopleMax = memory.exactPeopleMax;
    this.marks = head.marks;
    this.deepRevision = head.deepRevision;
    this.revision = head.deepRevision;
    this.revisionBefore = head.deepRevision;
    this.#isFirstWrite = head.complete && head.items.length === 0;
    this.besides = new Besides(head.notes ?? '');
    this.tail = new Tail(head.complete);
    this.#surface = Surface.ofHead(head);
    this.#places = new RecentPlaces(head.items[0]?.activityAtMs ?? Number.NEGATIVE_INFINITY);
    // Of what is not in memory, which is everything until the next line takes it in.
    if (head.complete) for (const item of head.items) this.tail.add(item, this.marks);
    this.addOlder(head.items, head.items.at(-1) ?? null, head.complete);
    for (const [rank, item] of head.items.entries()) {
      const group = this.#find(item.groupKey, item.id);
      if (group !== null) group.rank = rank;
    }
  }

  get isDirty(): boolean {
    return this.#dirty.length > 0 || this.besides.isDirty;
  }

  judge(type: TypeEntry, event: EventFacts): Verdict {
    return this.wishes.judge(type, event);
  }

  newest(groupKey: string): Group | null {
    return this.#newest.get(groupKey) ?? null;
  }

  isGone(thing: string): boolean {
    return this.#gone?.has(thing) ?? false;
  }

  accessTo(thing: string): AccessTimes {
    return this.#access?.get(thing) ?? always;
  }

  about(thing: string): readonly Group[] {
    return this.#groups.filter((group) => concerns(group, thing));
  }

  isKnownBackTo(timeMs: number): boolean {
    return this.#knownBackToMs <= timeMs;
  }

  /** Notes that rows back to this time matter to events that come now. Answers whether they are known. */
  needBackTo(timeMs: number): boolean {
    if (timeMs < this.#neededBackToMs) this.#neededBackToMs = timeMs;
    return this.#knownBackToMs <= timeMs;
  }

  /** How far down the list rows have been read, and whether that was the end. */
  get readTo(): Place | null {
    return this.#readTo;
  }

  /** In memory, in no order. */
  get groups(): readonly Group[] {
    return this.#groups;
  }

  /** All rows of this group key, with their members. */
  holdsGroup(groupKey: string): boolean {
    if (this.elsewhere.has(groupKey)) return false;
    for (let group = this.newest(groupKey); group !== null; group = group.older) if (group.lacksMembers) return false;
    return true;
  }

  holds(item: Item): boolean {
    return this.#find(item.groupKey, item.id) !== null;
  }

  /** How much is held, for the cache's limits. */
  size(): { rows: number; members: number } {
    let members = 0;
    for (const { memberSet } of this.#groups) members += memberSet?.size ?? 0;
    return { rows: this.#groups.length + this.elsewhere.size / elsewherePerRow, members };
  }

  /** Rows in list order, older than all read so far. `isComplete`: there are no more. */
  addOlder(items: readonly Item[], readTo: Place | null, isComplete: boolean): void {
    for (const item of items) {
      this.revision = Math.max(this.revision, item.revision);
      if (this.holds(item)) continue;
      this.revisionBefore = Math.max(this.revisionBefore, item.revision);
      this.#noteKey(item);
      if (mayGrow(item) && this.#groups.length < this.#rowsKept) this.#bringBack(item);
      else this.elsewhere.add(item.groupKey, item.id);
    }
    this.#readTo = readTo ?? this.#readTo;
    const backToMs = isComplete ? Number.NEGATIVE_INFINITY : (readTo?.activityAtMs ?? Number.POSITIVE_INFINITY);
    this.#knownBackToMs = Math.min(this.#knownBackToMs, backToMs);
  }

  /** A row that was not in memory, fetched from the store. */
  addFetched(item: Item): Group {
    this.#noteKey(item);
    const group = this.#bringBack(item);
    this.#fetched.push(group);
    return group;
  }

  newGroup(item: Item): Group {
    const group = new Group(item, this, true);
    this.#noteKey(item);
    this.#hold(group);
    this.placed(group);
    return group;
  }

  groupOf(item: Item): Group {
    const group = this.#find(item.groupKey, item.id);
    if (group === null) throw new Error(`row ${item.id} is not in memory`);
    return group;
  }

  /** A row has come, or has moved. */
  placed(group: Group): void {
    this.#rowsCame++;
    this.#surface.rowCame();
    group.placedAt = this.#rowsCame;
    const { activityAtMs } = group.item;
    // Rows that stand alone are not asked for again.
    if (mayGrow(group.item)) group.rank = this.#places.above(activityAtMs);
    this.#places.note(activityAtMs);
  }

  /** Notes that the row must be written. */
  touch(group: Group): void {
    this.revision = Math.max(this.revision, group.item.revision);
    this.#isCounted = false;
    if (group.isDirty) return;
    group.isDirty = true;
    this.#dirty.push(group);
  }

  /**
   * Whether `changes` will show all that changed: if not, readers who may have missed it must load again. False where
   * one has to look in the store first, for `noteSurface`.
   */
  noteDepth(): boolean {
    let isKnown = true;
    for (const group of this.#dirty) {
      const { item } = group;
      const isSurelyShown = group.rank + this.#rowsCame - group.placedAt < limits.changesMax;
      if (group.isNew || isSurelyShown || this.#surface.isAbove(item)) continue;
      if (group.rank === limits.changesMax || this.#surface.isBelow(item)) this.#isDeepDirty = true;
      else isKnown = false;
    }
    if (this.#isDeepDirty) this.deepRevision = this.revision;
    return isKnown;
  }

  /** As `Surface.set`. */
  noteSurface(place: Place | null, rowsLeft: number, floor: Place | null): void {
    this.#surface.set(place, rowsLeft, floor);
    this.noteDepth();
  }

  /** What is in memory is enough to count. */
  countsAreKnown(nowMs: number): boolean {
    if (this.tail.isKnown(this.marks, nowMs)) return true;
    const { unread, unseen } = this.#held(nowMs);
    return unread > limits.countMax && unseen > limits.countMax;
  }

  /** As the list shows them; `countsAreKnown` says whether they can be told. */
  counts(nowMs: number): Counts {
    const tally = new CountTally(this.marks, nowMs);
    tally.addAll(this.tail);
    tally.addAll(this.#held(nowMs));
    return tally.counts(this.revision);
  }

  changedItems(): readonly Item[] {
    return this.#dirty.map((group) => group.item);
  }

  toWrite(): PersonWrite {
    const notesDeep = this.#isDeepDirty || this.#isFirstWrite;
    const rows = toPersonWrite(this.key, this.#dirty, notesDeep ? this.deepRevision : null);
    return this.besides.addTo(rows);
  }

  /** The micro-batch is done: what need not stay in memory leaves it. */
  written(): void {
    if (!this.#isCounted) this.#counts.forget();
    this.#isCounted = true;
    for (const group of this.#dirty) group.written();
    for (const group of this.#dirty) if (!group.staysInMemory) this.#leave(group);
    for (const group of this.#fetched) if (group.slot >= 0 && !group.staysInMemory) this.#leave(group);
    this.#dirty = [];
    this.besides.written();
    this.wishes.forgetRelations();
    if (this.#fetched.length > 0) this.#fetched = [];
    this.#isDeepDirty = false;
    this.#isFirstWrite = false;
    this.revisionBefore = this.revision;
    if (this.#groups.length > this.#sweepAbove) this.#sweep();
    this.#forgetLongAgo();
  }

  #bringBack(item: Item): Group {
    this.elsewhere.remove(item.groupKey, item.id);
    this.tail.remove(item, this.marks);
    const group = new Group(item, this, false);
    this.#hold(group);
    return group;
  }

  #forgetLongAgo(): void {
    const backToMs = this.elsewhere.forgetLongAgo(this.#neededBackToMs);
    if (backToMs === null) return;
    this.#neededBackToMs = Number.POSITIVE_INFINITY;
    if (backToMs <= this.#knownBackToMs) return;
    this.#knownBackToMs = backToMs;
    // What was forgotten lies above what was read: whoever needs it again must read from the top.
    this.#readTo = null;
  }

  /** Lets rows go that no event of these times can join, and of the others the idlest where there are too many. */
  #sweep(): void {
    for (const group of [...this.#groups]) if (this.#isOver(group)) this.#leave(group);
    if (this.#groups.length > 2 * this.#rowsKept) {
      const idlest = [...this.#groups].sort((a, b) => a.item.revision - b.item.revision);
      for (const group of idlest.slice(0, -this.#rowsKept)) this.#leave(group);
    }
    // Not again until there are twice as many, so that a sweep costs each row that came a fixed share.
    this.#sweepAbove = Math.min(2 * this.#rowsKept, Math.max(sweepAboveMin, 2 * this.#groups.length));
  }

  /** Its key has no row that is still open: whoever comes late finds it in the store. */
  #isOver(group: Group): boolean {
    const newest = this.newest(group.item.groupKey) ?? group;
    return newest.beganMs + limits.groupSpanMs <= this.#places.newestMs;
  }

  /** What the rows in memory add to the counts. */
  #held(nowMs: number): HeldCounts {
    this.#counts.update(this.#groups, this.#isCounted ? noGroups : this.#dirty, this.marks, nowMs);
    this.#isCounted = true;
    return this.#counts;
  }

  #noteKey({ groupKey, createdAtMs }: Item): void {
    if (isFilteredKey(groupKey)) this.hasFiltered = true;
    const thing = thingGone(groupKey);
    if (thing !== null) this.#gone = (this.#gone ?? new Set()).add(thing);
    this.#access = noteAccess(this.#access, groupKey, createdAtMs);
  }

  /** Takes a row into memory: into the chain of its group key, newest first. */
  #hold(group: Group): void {
    group.slot = this.#groups.push(group) - 1;
    if (!group.isNew) this.#counts.forget();
    const { groupKey, createdRevision } = group.item;
    let newer: Group | null = null;
    let next = this.newest(groupKey);
    while (next !== null && next.item.createdRevision > createdRevision) {
      newer = next;
      next = next.older;
    }
    group.older = next;
    if (newer === null) this.#newest.set(groupKey, group);
    else newer.older = group;
  }

  /** Lets a row go and remembers where it is. */
  #leave(group: Group): void {
    const { groupKey, id } = group.item;
    const last = this.#groups.pop() as Group;
    if (last !== group) {
      this.#groups[group.slot] = last;
      last.slot = group.slot;
    }
    group.slot = -1;
    this.#counts.leave(group);
    const newest = this.newest(groupKey);
    if (newest !== group) {
      for (let other = newest; other !== null; other = other.older)
        if (other.older === group) other.older = group.older;
    } else if (group.older === null) this.#newest.delete(groupKey);
    else this.#newest.set(groupKey, group.older);
    this.elsewhere.add(groupKey, id);
    this.tail.add(group.item, this.marks);
  }

  #find(groupKey: string, id: NotificationId): Group | null {
    let group = this.newest(groupKey);
    while (group !== null && group.item.id !== id) group = group.older;
    return group;
  }
}

const noGroups: readonly Group[] = [];

/** With fewer rows it is not worth looking. */
const sweepAboveMin = 4;

/** Knowing where a row is costs so much less than holding it. */
const elsewherePerRow = 8;
