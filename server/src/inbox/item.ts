/**
 * An inbox item: one row that a person sees. Every item is a group, if only of one event (D5):
 * `groupKey` says which events share it, its members say who and what is in it.
 */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import type { DroppedSlot } from './dropped-event.ts';

export interface ItemActor {
  readonly id: string;
  readonly name: string | null;
  readonly avatar: string | null;
}

export interface ItemObject {
  readonly kind: string;
  readonly id: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly image: string | null;
  readonly parent: {
    readonly kind: string;
    readonly id: string;
    readonly title: string | null;
    readonly url: string | null;
  } | null;
}

/** Where a row stands in the list: newest activity first, then id ascending. */
export interface Place {
  readonly activityAtMs: number;
  readonly id: NotificationId;
}

/** A place a row has left, kept for a while so that a reader who pages through an older state still meets the row. */
export interface FormerPlace {
  readonly activityAtMs: number;
  /** The row stood here for readers whose snapshot is in [from, until). */
  readonly from: Revision;
  readonly until: Revision;
}

export interface Item {
  readonly id: NotificationId;
  /** May rise from `mention.created` to `reply.created` when both tell of one thing (BC-04). */
  type: string;
  category: string;
  lane: Lane;
  readonly groupKey: string;
  /** `filtered`: live, but only in the view of what the person's rules keep apart (D3): neither listed nor counted. */
  state: 'live' | 'filtered' | 'removed';
  /** Least event time among the members: when the group began. */
  createdAtMs: number;
  activityAtMs: number;
  readonly createdRevision: Revision;
  /** Revision at which the row took its present place. Read and seen marks are compared with this. */
  activityRevision: Revision;
  /** Revision of the last change of any kind. */
  revision: Revision;
  /** When the last event was accepted; retention counts from here. */
  acceptedAtMs: number;
  /** Newest first by event time, at most three. */
  actors: readonly ItemActor[];
  /** Distinct people present. */
  actorCount: number;
  actorCountIsEstimate: boolean;
  /** People when the row last moved: growth since then decides the next move. */
  actorCountAtMove: number;
  object: ItemObject;
  mentioned: boolean;
  formerPlaces: readonly FormerPlace[];
  /** Identity of the event that opened the row. */
  readonly openedBy: { readonly source: string; readonly id: string };
  decisions: readonly ChannelDecision[];
  /** The person asked to be pushed for what some event of the row is about (F3). Kept where push may tell of it. */
  askedForPush: boolean;
  /** When push and email tell of it (`decide/notify-window.ts`). */
  window: NotifyWindow;
  /** Members the row was opened with, kept in the row itself; those who came later are kept beside it. */
  opening: readonly Member[];
  /** What an estimated number of people is made from; null where they are counted. */
  sketch: string | null;
}

/** Of a row that push or email may tell of; `noWindow` where none ever has. */
export interface NotifyWindow {
  /** Of the open window, or of the last send: rises with each. */
  readonly number: number;
  /** Null while closed. */
  readonly endsAtMs: number | null;
  /** Members in the row whom no send has told of; 0 while closed. */
  readonly untold: number;
}

/** As a new row begins. */
export const noWindow: NotifyWindow = { number: 0, endsAtMs: null, untold: 0 };

/** One (actor, thing) in a group: at once the same-meaning check, the undo record and the list of people. */
export interface Member {
  /** What makes it the same: the actor's id, or actor and thing where one actor can add several (comments). */
  readonly key: string;
  readonly actor: ItemActor;
  /** The thing itself (`comment:c1`), so that its deletion finds the member. */
  readonly thing: string;
  /** Event time of the last event that counted. */
  readonly countedAtMs: number;
  /** Order of the last event of any effect: the source's `seq` or null, and its time. */
  readonly seq: number | null;
  readonly timeMs: number;
  readonly present: boolean;
  /** Number of the notify window it was counted in; 0 if it was in none. */
  readonly countedIn: number;
}

/** What a person has seen and read: merge-only, so any device may send any of it in any order (I3). */
export interface Marks {
  /** Items whose `activityRevision` is at most this are read. Merged by maximum. */
  readonly readThrough: Revision;
  /** When readThrough was last set to this value, in marks versions: an explicit "unread" before it gives way. */
  readonly readThroughVersion: Revision;
  readonly seenThrough: Revision;
  /** Greatest version of any mark. */
  readonly version: Revision;
  readonly items: ReadonlyMap<NotificationId, ItemMark>;
}

/** Marks of one item; each part is last-writer-wins by version. */
export interface ItemMark {
  readonly read?: { readonly value: boolean; readonly version: Revision };
  readonly seen?: { readonly value: boolean; readonly version: Revision };
  readonly archived?: { readonly value: boolean; readonly version: Revision };
  readonly snoozedUntilMs?: { readonly value: number | null; readonly version: Revision };
}

export const noMarks: Marks = { readThrough: 0, readThroughVersion: 0, seenThrough: 0, version: 0, items: new Map() };

/** What the rules remember of a person beside the rows (`decide/person-notes.ts`). */
export interface StoredNotes {
  /** Of the notes themselves: of two the greater stays. */
  readonly revision: Revision;
  readonly text: string;
}

/** All that changes for one person by one micro-batch; written as one. */
export interface PersonWrite {
  readonly person: PersonKey;
  /**
   * Rows as they now are. `movedFrom` is the place to clear when the row has moved: where that differs from the new
   * place, the store leaves a former place there, with the span of `item.formerPlaces` entries of that time.
   * `droppedFormer`: entries that left `item.formerPlaces` with this write, whose rows go too.
   */
  readonly items: readonly {
    readonly item: Item;
    readonly movedFrom: Place | null;
    readonly droppedFormer?: readonly FormerPlace[];
  }[];
  /** Members added or changed beside those in `opening`, one delta per group. */
  readonly members: readonly {
    readonly item: NotificationId;
    readonly revision: Revision;
    readonly members: readonly Member[];
  }[];
  /**
   * Set when a row outside the newest `changesMax` changed: older readers must load again. Set, too, with a person's
   * first rows, so that a store can tell by it whether it knows the person.
   */
  readonly deepRevision: Revision | null;
  /** In the place of earlier ones; absent where they stay as they are. */
  readonly notes?: StoredNotes;
  /** Events that left no row, each in the place of what lies in its slot. */
  readonly dropped?: readonly DroppedSlot[];
}
