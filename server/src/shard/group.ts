/** One row of a person as the shard holds it: the item, its members once loaded, and what must be written. */
import type { Revision } from '../base/ids.ts';
import type { GroupFacts } from '../decide/recipient-facts.ts';
import type { FormerPlace, Item, Marks, Member, Place } from '../inbox/item.ts';
import { isRead } from '../inbox/item-state.ts';
import { idTimeMs } from '../inbox/notification-id.ts';
import type { Members } from './members.ts';

export class Group implements GroupFacts {
  readonly item: Item;
  readonly beganMs: number;
  readonly #marks: () => Marks;
  /** Null until loaded from the store. */
  memberSet: Members | null;
  /** Members changed in this micro-batch, by key, as they are now. */
  readonly changed = new Map<string, Member>();
  /** Already among the person's rows to write. */
  isDirty = false;
  /** Place in the store, when the row has moved in this micro-batch. */
  movedFrom: Place | null = null;
  /** Former places that the row no longer remembers. */
  droppedFormer: readonly FormerPlace[] = [];
  /** Not yet in the store. */
  isNew: boolean;

  constructor(item: Item, memberSet: Members | null, marks: () => Marks) {
    this.item = item;
    this.beganMs = idTimeMs(item.id);
    this.memberSet = memberSet;
    this.isNew = memberSet !== null;
    this.#marks = marks;
  }

  get read(): boolean {
    const marks = this.#marks();
    return isRead(this.item, marks.items.get(this.item.id), marks);
  }

  member(key: string): Member | undefined {
    return this.#members().get(key);
  }

  members(): Iterable<Member> {
    return this.#members();
  }

  setMember(member: Member): void {
    this.#members().set(member);
    this.changed.set(member.key, member);
  }

  /** Brings what the item shows in line with its members. `revision` is that of this change. */
  refresh(revision: Revision): void {
    const { item } = this;
    const members = this.#members();
    const actors = members.newest();
    const isFromApp = actors[0]?.id === '';
    item.actors = isFromApp ? [] : actors;
    item.actorCount = isFromApp ? 0 : members.people;
    item.mentioned = members.isMentioned && members.hasPlain;
    item.state = members.isEmpty ? 'removed' : 'live';
    item.revision = revision;
  }

  /** Moves the row to where `timeMs` belongs, remembering for a while where it stood. */
  moveTo(timeMs: number, revision: Revision, formerPlacesMax: number): void {
    const { item } = this;
    // Places taken and left within one micro-batch were never seen by anyone.
    if (!this.isNew && this.movedFrom === null && timeMs !== item.activityAtMs) {
      this.movedFrom = { activityAtMs: item.activityAtMs, id: item.id };
      const former = { activityAtMs: item.activityAtMs, from: item.activityRevision, until: revision };
      const places = [...item.formerPlaces, former];
      item.formerPlaces = places.slice(-formerPlacesMax);
      this.droppedFormer = places.slice(0, -formerPlacesMax);
    }
    item.activityAtMs = timeMs;
    item.activityRevision = revision;
    item.actorCountAtMove = item.actorCount;
  }

  written(): void {
    this.changed.clear();
    this.isDirty = false;
    this.movedFrom = null;
    this.droppedFormer = [];
    this.isNew = false;
  }

  #members(): Members {
    if (this.memberSet === null) throw new Error(`members of ${this.item.id} are needed before they are loaded`);
    return this.memberSet;
  }
}
