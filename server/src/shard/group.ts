/** One row of a person as the shard holds it: the item, its members once loaded, and what must be written. */
import type { Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { standsAlone } from '../decide/keys.ts';
import type { GroupFacts } from '../decide/recipient-facts.ts';
import type { CountedAs } from '../inbox/counts.ts';
import type { FormerPlace, Item, Marks, Member, Place } from '../inbox/item.ts';
import { isRead, liveState } from '../inbox/item-state.ts';
import { idTimeMs } from '../inbox/notification-id.ts';
import { Members } from './members.ts';

/** Whose row it is, as far as a row must know. */
export interface GroupOwner {
  readonly marks: Marks;
  /** People of one row are counted exactly up to here. */
  readonly exactPeopleMax: number;
}

/** Changed by a write that has not happened yet; most rows never have one. */
interface Unwritten {
  /** Members in order of change: of several with one key the last counts. */
  readonly members: Member[];
  /** Place in the store, when the row has moved. */
  movedFrom: Place | null;
  /** Former places that the row no longer remembers. */
  droppedFormer: readonly FormerPlace[];
}

const noPlaces: readonly FormerPlace[] = [];

export class Group implements GroupFacts {
  readonly item: Item;
  readonly beganMs: number;
  readonly #owner: GroupOwner;
  older: Group | null = null;
  /** Null until loaded from the store. */
  memberSet: Members | null = null;
  /** Where it is in the person's list of what is in memory. */
  slot = -1;
  /** The row stood within so many of the top when the person had seen `placedAt` rows come; infinite if unknown. */
  rank = Number.POSITIVE_INFINITY;
  placedAt = 0;
  /** How it is among the person's counts now. */
  counted: CountedAs = 0;
  /** Already among the person's rows to write. */
  isDirty = false;
  /** Not yet in the store. */
  isNew: boolean;
  unwritten: Unwritten | null = null;

  constructor(item: Item, owner: GroupOwner, isNew: boolean) {
    this.item = item;
    this.beganMs = idTimeMs(item.id);
    this.isNew = isNew;
    this.#owner = owner;
    if (isNew) this.useMembers([]);
  }

  /** The members as stored. */
  useMembers(members: Iterable<Member>): void {
    this.memberSet = new Members(members, this.#owner.exactPeopleMax, this.item.sketch);
  }

  get read(): boolean {
    const { marks } = this.#owner;
    return isRead(this.item, marks.items.get(this.item.id), marks);
  }

  member(key: string): Member | undefined {
    return this.#members().get(key);
  }

  members(): Iterable<Member> {
    return this.#members();
  }

  setMember(member: Member): void {
    const isKept = this.#members().set(member);
    if (isKept) this.#toWrite().members.push(member);
  }

  /** Brings what the item shows in line with its members. `revision` is that of this change. */
  refresh(revision: Revision): void {
    const { item } = this;
    const members = this.#members();
    const actors = members.newest();
    const isFromApp = actors[0]?.id === '';
    item.actors = isFromApp ? [] : actors;
    item.actorCount = isFromApp ? 0 : members.people;
    item.actorCountIsEstimate = members.isEstimate;
    item.mentioned = members.isMentioned && members.hasPlain;
    item.state = members.isEmpty ? 'removed' : liveState(item.groupKey);
    item.revision = revision;
  }

  /** Moves the row to where `timeMs` belongs, remembering for a while where it stood. */
  moveTo(timeMs: number, revision: Revision, formerPlacesMax: number): void {
    const { item } = this;
    const unwritten = this.#toWrite();
    // Places taken and left within one micro-batch were never seen by anyone.
    if (!this.isNew && unwritten.movedFrom === null && timeMs !== item.activityAtMs) {
      unwritten.movedFrom = { activityAtMs: item.activityAtMs, id: item.id };
      const former = { activityAtMs: item.activityAtMs, from: item.activityRevision, until: revision };
      const places = [...item.formerPlaces, former];
      item.formerPlaces = places.slice(-formerPlacesMax);
      unwritten.droppedFormer = places.slice(0, -formerPlacesMax);
    }
    item.activityAtMs = timeMs;
    item.activityRevision = revision;
    item.actorCountAtMove = item.actorCount;
  }

  /** Most rows stay as they were opened, and then need not hold their members twice. */
  written(): void {
    this.unwritten = null;
    this.isNew = false;
    this.isDirty = false;
    if (this.#isAsOpened) this.memberSet = null;
  }

  /** Events may still join it, or it has so many people that loading them again would cost more than keeping them. */
  get staysInMemory(): boolean {
    return mayGrow(this.item) || (this.memberSet?.size ?? 0) > limits.openingMembersMax;
  }

  /** Its members are not in memory and must be read from the store. */
  get lacksMembers(): boolean {
    return this.memberSet === null && !this.#isAsOpened;
  }

  /** Nothing happened to the row since it was opened: its members are those it was opened with. */
  get #isAsOpened(): boolean {
    return this.item.opening.length > 0 && this.item.revision === this.item.createdRevision;
  }

  #members(): Members {
    if (this.memberSet === null && this.#isAsOpened) this.useMembers(this.item.opening);
    if (this.memberSet === null) throw new Error(`members of ${this.item.id} are needed before they are loaded`);
    return this.memberSet;
  }

  #toWrite(): Unwritten {
    this.unwritten ??= { members: [], movedFrom: null, droppedFormer: noPlaces };
    return this.unwritten;
  }
}

/** Rows that events may still join: shown, and of a type whose events share rows. */
export function mayGrow({ groupKey, state }: Item): boolean {
  return state !== 'removed' && !standsAlone(groupKey);
}
