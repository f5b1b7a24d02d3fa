/**
 * Pages of the list, as it stood when page 1 was read (I2): no row is repeated or hidden while rows move up and
 * marks are set.
 *
 * The cursor carries the snapshot: the person's revision S at page 1, the through-marks at that time, and the place
 * reached. Below that place, a row that has moved since S is met where it stood at S: at its former place if that is
 * kept, else at its present one. Rows that came after S and stand below are simply met. What was new on page 1 stays
 * new on page 2, although another device has read everything meanwhile (BC-32).
 */
import type { PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { PageQuery } from './inbox-service.ts';
import type { InboxStore, PersonHead, StoredRow } from './inbox-store.ts';
import type { FormerPlace, Item, Marks, Place } from './item.ts';
import { isArchived, isListed, isRead, isSnoozed } from './item-state.ts';
import type { ThroughMarks } from './merge-marks.ts';
import { personRevision } from './person-revision.ts';
import type { CursorSigner, CursorValue } from './signed-cursor.ts';

/** What the reader of one list has in view. */
interface View {
  readonly snapshot: Revision;
  readonly marks: Marks;
  readonly nowMs: number;
  readonly query: PageQuery;
}

export interface ReadPage {
  readonly items: readonly Item[];
  /** As of page 1: what states are shown by. */
  readonly marks: Marks;
  readonly nextCursor: string | null;
}

export class InboxPages {
  readonly #store: InboxStore;
  readonly #signer: CursorSigner;

  constructor(store: InboxStore, signer: CursorSigner) {
    this.#store = store;
    this.#signer = signer;
  }

  /** `head`: of at least `limits.changesMax` rows, just read. Throws CARILLON_CURSOR_INVALID. */
  async read(person: PersonKey, query: PageQuery, head: PersonHead, nowMs: number): Promise<ReadPage> {
    const scope = ['page', person, query.type ?? '', query.category ?? '', query.state ?? ''];
    const cursor = query.cursor === null ? null : cursorOf(this.#signer.open(scope, query.cursor));
    const page = new PageBuilder(query.limit);
    const through = cursor?.through ?? head.marks;
    const snapshot = cursor?.snapshot ?? personRevision(head);
    let view: View = { snapshot, marks: { ...through, items: head.marks.items }, nowMs, query };
    if (cursor === null) addHead(page, head.items, view);
    if (!page.isFull && (cursor !== null || !head.complete)) {
      if (!head.complete) view = { ...view, marks: { ...through, items: (await this.#store.marks(person)).items } };
      await this.#addRows(person, page, cursor?.after ?? head.items.at(-1) ?? null, view);
    }
    const { last } = page;
    const values = last === null ? null : cursorValues({ snapshot, through, after: last });
    return { items: page.items, marks: view.marks, nextCursor: values && this.#signer.sign(scope, values) };
  }

  async #addRows(person: PersonKey, page: PageBuilder, from: Place | null, view: View): Promise<void> {
    const { type, category, state } = view.query;
    const isFiltered = type !== null || category !== null || state !== null;
    let after = from;
    for (;;) {
      const step = isFiltered ? limits.readStepRows : Math.min(limits.readStepRows, page.missing + 10);
      const rows = await this.#store.rows(person, after, step);
      for (const row of rows) {
        after = placeOf(row);
        const item = await this.#itemAt(person, row, view.snapshot);
        if (item !== null && matches(item, view)) page.add(item, after);
        if (page.isFull) return;
      }
      if (rows.length < step) return;
    }
  }

  /** The item that a reader of this snapshot meets at this row, if any. */
  async #itemAt(person: PersonKey, row: StoredRow, snapshot: Revision): Promise<Item | null> {
    if (row.kind === 'item') {
      const { item } = row;
      const isElsewhere = item.formerPlaces.some(
        (place) => wasAt(place, snapshot) && place.activityAtMs < item.activityAtMs,
      );
      return isElsewhere ? null : item;
    }
    if (!wasAt(row.place, snapshot)) return null;
    const item = await this.#store.item(person, row.id);
    // The item's own list decides, for it is what the reader of the present place went by.
    const isHere = item?.formerPlaces.some(
      (place) => wasAt(place, snapshot) && place.activityAtMs === row.place.activityAtMs,
    );
    return isHere ? item : null;
  }
}

/** A page while it fills. */
class PageBuilder {
  readonly items: Item[] = [];
  readonly #limit: number;
  #last: Place | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: Item, place: Place): void {
    this.items.push(item);
    this.#last = { activityAtMs: place.activityAtMs, id: place.id };
  }

  get missing(): number {
    return this.#limit - this.items.length;
  }

  get isFull(): boolean {
    return this.missing <= 0;
  }

  /** Where the next page goes on; null if this one came to the end of the list. */
  get last(): Place | null {
    return this.isFull ? this.#last : null;
  }
}

function addHead(page: PageBuilder, items: readonly Item[], view: View): void {
  for (const item of items) {
    if (page.isFull) return;
    if (matches(item, view)) page.add(item, item);
  }
}

function matches(item: Item, view: View): boolean {
  const { query, marks, nowMs } = view;
  if (query.type !== null && item.type !== query.type) return false;
  if (query.category !== null && item.category !== query.category) return false;
  const mark = marks.items.get(item.id);
  switch (query.state) {
    case null:
      return isListed(item, marks, nowMs);
    case 'unread':
      return isListed(item, marks, nowMs) && !isRead(item, mark, marks);
    case 'read':
      return isListed(item, marks, nowMs) && isRead(item, mark, marks);
    case 'archived':
      return item.state !== 'removed' && isArchived(mark);
    case 'filtered':
      return item.state === 'filtered' && !isArchived(mark) && !isSnoozed(mark, nowMs);
  }
}

function wasAt(place: FormerPlace, snapshot: Revision): boolean {
  return place.from <= snapshot && snapshot < place.until;
}

function placeOf(row: StoredRow): Place {
  if (row.kind === 'item') return { activityAtMs: row.item.activityAtMs, id: row.item.id };
  return { activityAtMs: row.place.activityAtMs, id: row.id };
}

interface Cursor {
  readonly snapshot: Revision;
  readonly through: ThroughMarks;
  readonly after: Place;
}

function cursorValues({ snapshot, through, after }: Cursor): CursorValue[] {
  const { readThrough, readThroughVersion, seenThrough, version } = through;
  return [snapshot, readThrough, readThroughVersion, seenThrough, version, after.activityAtMs, after.id];
}

function cursorOf(values: readonly CursorValue[]): Cursor {
  const [snapshot, readThrough, readThroughVersion, seenThrough, version, activityAtMs, id] = values as [
    ...[number, number, number, number, number, number],
    Place['id'],
  ];
  return {
    snapshot,
    through: { readThrough, readThroughVersion, seenThrough, version },
    after: { activityAtMs, id },
  };
}
