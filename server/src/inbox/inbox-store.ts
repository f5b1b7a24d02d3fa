/**
 * Port: everything about people's inboxes. One partition per person: all rows, members and marks of a person can be
 * written as one and read in one range.
 *
 * Atomicity: `write` applies each person's part wholly or not at all. Embedded engines apply the whole call, positions
 *   included, as one; a cluster engine applies person by person and the positions last, so that a crash between them
 *   repeats work and never skips it. Writing the same thing again changes nothing.
 * Order: of two writes to one person the one with the greater revision wins, row by row; an outdated owner's late write
 *   is lost (in Cassandra: the revision is the write timestamp).
 * Ids: those of `notificationId`, whose time says where to look for a row without an index: there, or up to
 *   `limits.groupSpanMs` later.
 * Marks: written by anyone at any time, merged by rule (`mergeMarks`), never by read and overwrite.
 * Reads never wait for writes and see whole writes only.
 * Positions: of several writers of one shard the one that asked for them last (`positions`) wins.
 */
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import type { Position } from '../log/event-log.ts';
import type { FormerPlace, Item, Marks, Member, PersonWrite, Place } from './item.ts';

export type StoredRow =
  | { readonly kind: 'item'; readonly item: Item }
  /** A place the row has left: where to find its present self is up to the reader (`item`). */
  | { readonly kind: 'former'; readonly id: NotificationId; readonly place: FormerPlace };

export interface PersonHead {
  /** Newest first, items only (no former places). */
  readonly items: readonly Item[];
  /** No older rows exist. */
  readonly complete: boolean;
  /** Through-marks, and the item marks of at least these items; where the head is not complete, older ones may lack. */
  readonly marks: Marks;
  /** Greatest revision written to a row outside the newest `changesMax`, or of a trim; 0 if none. */
  readonly deepRevision: Revision;
  /** As last written with the rows; absent where there are none. */
  readonly notes?: string;
}

export interface MarksPatch {
  readonly version: Revision;
  readonly readThrough?: Revision;
  readonly seenThrough?: Revision;
  /** Changes to single items; each given part carries `version`. */
  readonly items?: readonly {
    readonly id: NotificationId;
    readonly read?: boolean;
    readonly seen?: boolean;
    readonly archived?: boolean;
    readonly snoozedUntilMs?: number | null;
  }[];
}

export interface InboxStore {
  /**
   * Positions of the shard's lanes, by lane index, as of the last write; null before the first. Whoever becomes the
   * shard's writer asks first: from then on the writes of earlier ones count no more.
   */
  positions(shard: number): Promise<readonly Position[] | null>;
  /** Applies one micro-batch. */
  write(shard: number, people: readonly PersonWrite[], positions: readonly Position[]): Promise<void>;
  /** The newest `rowsMax` items with marks, in one read. Unknown people have an empty, complete head. */
  head(person: PersonKey, rowsMax: number): Promise<PersonHead>;
  /** Rows strictly after `after` in list order (null: from the top), former places among them, at most `rowsMax`. */
  rows(person: PersonKey, after: Place | null, rowsMax: number): Promise<readonly StoredRow[]>;
  /** One item by id, wherever it stands now; live or removed. */
  item(person: PersonKey, id: NotificationId): Promise<Item | null>;
  /** Members of one group, those in the item's `opening` among them, merged: one per key, the latest. */
  members(person: PersonKey, id: NotificationId): Promise<readonly Member[]>;
  /** Events that left no row, as `dropped-event.ts` writes them: the latest of each slot, in no order. */
  dropped(person: PersonKey): Promise<readonly string[]>;
  marks(person: PersonKey): Promise<Marks>;
  /** Merges and answers the marks as they then are. Any order of any patches ends in the same marks. */
  mergeMarks(person: PersonKey, patch: MarksPatch): Promise<Marks>;
  /** People that have rows, each once, in a stable order of the store's own, for background work. */
  people(after: PersonKey | null, max: number): Promise<readonly PersonKey[]>;
  /** The place of the item that has `rank` newer items before it; null if there are not so many. */
  placeAt(person: PersonKey, rank: number): Promise<Place | null>;
  /**
   * Deletes rows with their former places, members and marks for good (retention). Revision: see `deepRevision`.
   * The caller keeps the executor from writing these rows meanwhile.
   */
  remove(person: PersonKey, items: readonly Item[], revision: Revision): Promise<void>;
  /**
   * Deletes everything of the person that was written at `revision` or before. What is written later counts, as for
   * somebody new. The caller keeps the executor from writing them meanwhile.
   */
  erase(person: PersonKey, revision: Revision): Promise<void>;
  close(): Promise<void>;
}
