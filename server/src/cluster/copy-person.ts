/**
 * One person's inbox from one store to another, through the port alone: rows, members, marks, depth. Copying again
 * changes nothing. The digest is over all that a reader can see, so equal digests mean equal inboxes.
 */
import { digest } from '../base/hash.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { decodeNotes } from '../decide/person-notes.ts';
import type { InboxStore, MarksPatch, StoredRow } from '../inbox/inbox-store.ts';
import type { Item, ItemMark, Marks, Member, PersonWrite, Place } from '../inbox/item.ts';
import { encodeItem } from '../inbox/item-codec.ts';
import { encodeItemMark, encodeThrough } from '../inbox/marks-codec.ts';
import { encodeMembers } from '../inbox/member-codec.ts';
import type { MarkPatch } from '../inbox/merge-marks.ts';
import type { Position } from '../log/event-log.ts';

export interface PersonContents {
  readonly rows: number;
  readonly members: number;
  readonly itemMarks: number;
  readonly digest: string;
}

export interface CopyTarget {
  readonly inbox: InboxStore;
  readonly shardOf: (person: PersonKey) => number;
  /** Kept as they are while people are copied. */
  readonly positions: readonly Position[];
}

export async function copyPerson(source: InboxStore, target: CopyTarget, person: PersonKey): Promise<void> {
  const shard = target.shardOf(person);
  const { deepRevision, notes: text } = await source.head(person, 1);
  const notes = text === undefined ? {} : { notes: { revision: decodeNotes(text).revision, text } };
  for await (const rows of listOf(source, person)) {
    const items = rows.flatMap((row) => (row.kind === 'item' ? [row.item] : []));
    const members = [];
    for (const item of items) {
      const later = await laterMembers(source, person, item);
      if (later.length > 0) members.push({ item: item.id, revision: item.revision, members: later });
    }
    const write = { person, items: items.flatMap(withFormer), members, deepRevision, ...notes };
    await target.inbox.write(shard, [write], target.positions);
  }
  for (const patch of patchesOf(await source.marks(person))) await target.inbox.mergeMarks(person, patch);
}

/** What a reader sees of a person, as numbers and one digest. */
export async function contentsOf(store: InboxStore, person: PersonKey): Promise<PersonContents> {
  const { deepRevision, notes = '' } = await store.head(person, 1);
  const parts = [String(deepRevision), notes];
  const counts = { rows: 0, members: 0 };
  for await (const rows of listOf(store, person)) {
    for (const row of rows) {
      parts.push(row.kind === 'item' ? encodeItem(row.item) : JSON.stringify([row.id, row.place]));
      if (row.kind !== 'item') continue;
      const members = await store.members(person, row.item.id);
      parts.push(encodeMembers(members.toSorted((a, b) => compare(a.key, b.key))));
      counts.rows++;
      counts.members += members.length;
    }
  }
  const marks = await store.marks(person);
  parts.push(encodeThrough(marks, false));
  const itemMarks = [...marks.items].sort(([a], [b]) => compare(a, b));
  for (const [id, mark] of itemMarks) parts.push(id, encodeItemMark(mark));
  return { ...counts, itemMarks: itemMarks.length, digest: digest(parts, 43) };
}

/** A person whose rows have all gone has one empty part: what else is known of them is copied with it. */
async function* listOf(store: InboxStore, person: PersonKey): AsyncIterable<readonly StoredRow[]> {
  for (let after: Place | null = null; ; ) {
    const rows: readonly StoredRow[] = await store.rows(person, after, limits.readStepRows);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limits.readStepRows) return;
    after = last.kind === 'item' ? last.item : { activityAtMs: last.place.activityAtMs, id: last.id };
  }
}

/** Written once for each place it has left, so that the store leaves a former place there. */
function withFormer(item: Item): PersonWrite['items'] {
  const left = item.formerPlaces.filter(({ activityAtMs }) => activityAtMs !== item.activityAtMs);
  if (left.length === 0) return [{ item, movedFrom: null }];
  return left.map(({ activityAtMs }) => ({ item, movedFrom: { activityAtMs, id: item.id } }));
}

/** None where the row holds all of them. As one delta they merge to the same list. */
async function laterMembers(store: InboxStore, person: PersonKey, item: Item): Promise<readonly Member[]> {
  const isAsOpened = item.opening.length > 0 && item.revision === item.createdRevision;
  return isAsOpened ? [] : store.members(person, item.id);
}

/** Patches that merge to these marks: one for each version at which something was marked. */
function patchesOf(marks: Marks): MarksPatch[] {
  const { readThrough, readThroughVersion, seenThrough, version } = marks;
  if (version === 0) return [];
  const byVersion = new Map<number, MarkPatch[]>();
  for (const [id, mark] of marks.items) {
    for (const [name, { value, version: at }] of Object.entries(mark) as [
      keyof ItemMark,
      NonNullable<ItemMark[keyof ItemMark]>,
    ][]) {
      byVersion.set(at, [...(byVersion.get(at) ?? []), { id, [name]: value }]);
    }
  }
  const through: MarksPatch[] = [{ version, seenThrough }];
  if (readThrough > 0) through.push({ version: readThroughVersion, readThrough });
  return [...through, ...[...byVersion].map(([at, items]) => ({ version: at, items }))];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
