/**
 * What a person asks to be marked, as a patch that merges (I3). Only rows that exist are marked, and "through" reaches
 * exactly what was meant: nothing that came later is swallowed, nothing that was covered stays behind.
 */
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { MarkRequest } from './inbox-service.ts';
import type { InboxStore, MarksPatch, PersonHead } from './inbox-store.ts';
import type { Item, Marks, Place } from './item.ts';
import { isRead, isSeen } from './item-state.ts';
import type { MarkPatch } from './merge-marks.ts';
import { personRevision } from './person-revision.ts';

export interface PlannedMarks {
  /** Null where there is nothing to mark. */
  readonly patch: MarksPatch | null;
  /** The rows that the patch names. */
  readonly items: readonly Item[];
}

type ThroughRequest = Extract<MarkRequest, { kind: 'read' | 'seen' }>;

const lookUpsMax = 8;
const lastTimeMs = Date.UTC(9999, 11, 31);

export class MarksPlanner {
  readonly #store: InboxStore;

  constructor(store: InboxStore) {
    this.#store = store;
  }

  /** `head`: just read, of at least `limits.changesMax` rows. */
  async plan(person: PersonKey, request: MarkRequest, head: PersonHead, version: Revision): Promise<PlannedMarks> {
    const items = new Map<NotificationId, Item>();
    for (const item of await this.#find(person, request.ids ?? [], head)) items.set(item.id, item);
    let through: Revision | undefined;
    if (request.kind === 'read' || request.kind === 'seen') {
      through = await this.#through(person, request, head, items);
    }
    const changes = [...items.values()].map((item) => changeOf(item.id, request));
    if (through === undefined && changes.length === 0) return { patch: null, items: [] };
    const reach = through === undefined ? {} : { [`${request.kind}Through`]: through };
    return { patch: { version, ...reach, items: changes }, items: [...items.values()] };
  }

  /** The revision to mark through; rows that must be marked by themselves are put into `items`. */
  async #through(
    person: PersonKey,
    request: ThroughRequest,
    head: PersonHead,
    items: Map<NotificationId, Item>,
  ): Promise<Revision | undefined> {
    const { through, throughTimeMs } = request;
    if (through === undefined && throughTimeMs === undefined) return undefined;
    let reached = through === undefined ? 0 : Math.min(through, personRevision(head));
    if (request.kind === 'read' && reached > 0 && reached < head.marks.readThrough) {
      for (const item of await this.#unreadAgain(person, reached, head)) items.set(item.id, item);
    }
    if (throughTimeMs !== undefined) {
      const marks = head.complete ? head.marks : await this.#store.marks(person);
      const split = splitAt(await this.#all(person, head), throughTimeMs, request.kind, marks);
      for (const item of split.rest) items.set(item.id, item);
      reached = Math.max(reached, split.through);
    }
    return reached;
  }

  /** Rows explicitly unread that a through-mark older than the greatest covers: that one's merge would pass them over. */
  async #unreadAgain(person: PersonKey, through: Revision, head: PersonHead): Promise<Item[]> {
    const marks = head.complete ? head.marks : await this.#store.marks(person);
    const ids = [...marks.items].filter(([, mark]) => mark.read?.value === false).map(([id]) => id);
    const items = await this.#find(person, ids, head);
    return items.filter((item) => item.activityRevision <= through);
  }

  /** The live rows among these ids, each once. */
  async #find(person: PersonKey, ids: readonly NotificationId[], head: PersonHead): Promise<Item[]> {
    const wanted = new Set(ids);
    const found = head.items.filter((item) => wanted.delete(item.id));
    if (!head.complete && wanted.size > lookUpsMax) {
      // One run over the rows costs less than many searches, and bounds what made-up ids can cost.
      found.push(...(await this.#all(person, head)).filter((item) => wanted.delete(item.id)));
    } else if (!head.complete) {
      for (const id of wanted) {
        const item = await this.#store.item(person, id);
        if (item !== null) found.push(item);
      }
    }
    return found.filter((item) => item.state !== 'removed');
  }

  async #all(person: PersonKey, head: PersonHead): Promise<Item[]> {
    const items = [...head.items];
    let after: Place | null = items.at(-1) ?? null;
    let isDone = head.complete;
    while (!isDone) {
      const rows = await this.#store.rows(person, after, limits.readStepRows);
      for (const row of rows) {
        if (row.kind === 'item') items.push(row.item);
        after = row.kind === 'item' ? row.item : { activityAtMs: row.place.activityAtMs, id: row.id };
      }
      isDone = rows.length < limits.readStepRows;
    }
    return items;
  }
}

/**
 * Everything with activity up to a time, as a revision to mark through and the rest by single rows: events come late,
 * so rows in order of time are not in order of revision, and a newer row that is still new must stay so.
 */
function splitAt(items: readonly Item[], timeMs: number, kind: 'read' | 'seen', marks: Marks) {
  const isNew = (item: Item): boolean => {
    const mark = marks.items.get(item.id);
    return item.state === 'live' && !(kind === 'read' ? isRead(item, mark, marks) : isSeen(item, mark, marks));
  };
  let leastNewer = Number.POSITIVE_INFINITY;
  for (const item of items) {
    if (item.activityAtMs > timeMs && isNew(item)) leastNewer = Math.min(leastNewer, item.activityRevision);
  }
  let through = 0;
  const rest: Item[] = [];
  for (const item of items) {
    if (item.activityAtMs > timeMs || item.state !== 'live') continue;
    if (item.activityRevision < leastNewer) through = Math.max(through, item.activityRevision);
    if (item.activityRevision >= leastNewer || marks.items.get(item.id)?.read?.value === false) {
      if (isNew(item)) rest.push(item);
    }
  }
  return { through, rest };
}

function changeOf(id: NotificationId, request: MarkRequest): MarkPatch {
  switch (request.kind) {
    case 'read':
      return { id, read: true };
    case 'seen':
      return { id, seen: true };
    case 'unread':
      // Whoever marks a row unread has seen it.
      return { id, read: false, seen: true };
    case 'archive':
      return { id, archived: true };
    case 'unarchive':
      return { id, archived: false };
    case 'snooze':
      return { id, snoozedUntilMs: Math.min(request.untilMs, lastTimeMs) };
  }
}
