/**
 * The inbox store in memory, for tests and the simulation. Rows are kept as the text the durable store would hold,
 * so that nobody can change a stored row through a reference, and both stores share every rule of encoding.
 */
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import type { Position } from '../log/event-log.ts';
import { clearedPlaces, formerAt } from './former-places.ts';
import type { InboxStore, MarksPatch, PersonHead, StoredRow } from './inbox-store.ts';
import type { FormerPlace, Item, Marks, Member, PersonWrite, Place } from './item.ts';
import { noMarks } from './item.ts';
import { decodeItem, encodeItem } from './item-codec.ts';
import { decodeMembers, encodeMembers, mergeDeltas } from './member-codec.ts';
import { mergeMarks } from './merge-marks.ts';
import { placeKey, placeOfKey } from './place-key.ts';

type Row = { readonly kind: 'item'; readonly text: string } | { readonly kind: 'former'; readonly place: FormerPlace };

class Partition {
  /** By place key. */
  rows = new Map<string, Row>();
  /** Keys of `rows` in order; null when they must be sorted again. */
  order: string[] | null = [];
  places = new Map<NotificationId, string>();
  members = new Map<NotificationId, Map<Revision, string>>();
  marks: Marks = noMarks;
  deepRevision: Revision = 0;
  notes: string | null = null;
  readonly dropped = new Map<number, string>();

  put(key: string, row: Row): void {
    if (!this.rows.has(key)) this.order = null;
    this.rows.set(key, row);
  }

  delete(key: string): void {
    if (this.rows.delete(key)) this.order = null;
  }

  keys(): readonly string[] {
    this.order ??= [...this.rows.keys()].sort();
    return this.order;
  }
}

export class InboxStoreMemory implements InboxStore {
  #people = new Map<PersonKey, Partition>();
  #positions = new Map<number, readonly Position[]>();

  async positions(shard: number): Promise<readonly Position[] | null> {
    return this.#positions.get(shard) ?? null;
  }

  async write(shard: number, people: readonly PersonWrite[], positions: readonly Position[]): Promise<void> {
    for (const change of people) this.#apply(change);
    this.#positions.set(shard, [...positions]);
  }

  async head(person: PersonKey, rowsMax: number): Promise<PersonHead> {
    const partition = this.#people.get(person) ?? new Partition();
    const items: Item[] = [];
    let complete = true;
    for (const key of partition.keys()) {
      const row = partition.rows.get(key) as Row;
      if (row.kind !== 'item') continue;
      complete = items.length < rowsMax;
      if (!complete) break;
      items.push(decodeItem(row.text));
    }
    const { marks, deepRevision, notes } = partition;
    return { items, complete, marks, deepRevision, ...(notes === null ? {} : { notes }) };
  }

  async rows(person: PersonKey, after: Place | null, rowsMax: number): Promise<readonly StoredRow[]> {
    const partition = this.#people.get(person) ?? new Partition();
    const from = after === null ? '' : placeKey(after);
    return partition
      .keys()
      .filter((key) => key > from)
      .slice(0, rowsMax)
      .map((key) => {
        const row = partition.rows.get(key) as Row;
        if (row.kind === 'item') return { kind: 'item', item: decodeItem(row.text) };
        return { kind: 'former', id: placeOfKey(key).id, place: row.place };
      });
  }

  async item(person: PersonKey, id: NotificationId): Promise<Item | null> {
    const partition = this.#people.get(person);
    const row = partition?.rows.get(partition.places.get(id) ?? '');
    return row?.kind === 'item' ? decodeItem(row.text) : null;
  }

  async members(person: PersonKey, id: NotificationId): Promise<readonly Member[]> {
    const deltas = [...(this.#people.get(person)?.members.get(id) ?? [])].sort(([a], [b]) => a - b);
    const item = await this.item(person, id);
    return mergeDeltas([item?.opening ?? [], ...deltas.map(([, text]) => decodeMembers(text))]);
  }

  async dropped(person: PersonKey): Promise<readonly string[]> {
    return [...(this.#people.get(person)?.dropped.values() ?? [])];
  }

  async marks(person: PersonKey): Promise<Marks> {
    return this.#people.get(person)?.marks ?? noMarks;
  }

  async mergeMarks(person: PersonKey, patch: MarksPatch): Promise<Marks> {
    const partition = this.#partition(person);
    partition.marks = mergeMarks(partition.marks, patch);
    return partition.marks;
  }

  async people(after: PersonKey | null, max: number): Promise<readonly PersonKey[]> {
    return [...this.#people.keys()]
      .filter((person) => (after === null || person > after) && (this.#people.get(person) as Partition).rows.size > 0)
      .sort()
      .slice(0, max);
  }

  async placeAt(person: PersonKey, rank: number): Promise<Place | null> {
    const partition = this.#people.get(person) ?? new Partition();
    const key = partition.keys().filter((other) => partition.rows.get(other)?.kind === 'item')[rank];
    return key === undefined ? null : placeOfKey(key);
  }

  async remove(person: PersonKey, items: readonly Item[], revision: Revision): Promise<void> {
    const partition = this.#partition(person);
    const marks = new Map(partition.marks.items);
    for (const item of items) {
      partition.delete(placeKey(item));
      for (const { activityAtMs } of item.formerPlaces) partition.delete(placeKey({ activityAtMs, id: item.id }));
      partition.places.delete(item.id);
      partition.members.delete(item.id);
      marks.delete(item.id);
    }
    partition.marks = { ...partition.marks, items: marks };
    partition.deepRevision = Math.max(partition.deepRevision, revision);
  }

  async erase(person: PersonKey): Promise<void> {
    this.#people.delete(person);
  }

  async close(): Promise<void> {}

  #apply(change: PersonWrite): void {
    const partition = this.#partition(change.person);
    for (const { item, movedFrom, droppedFormer } of change.items) {
      const key = placeKey(item);
      if (movedFrom !== null) leave(partition, item, movedFrom);
      for (const activityAtMs of clearedPlaces(item, droppedFormer ?? [])) {
        partition.delete(placeKey({ activityAtMs, id: item.id }));
      }
      partition.put(key, { kind: 'item', text: encodeItem(item) });
      partition.places.set(item.id, key);
    }
    for (const delta of change.members) {
      const deltas = partition.members.get(delta.item) ?? new Map<Revision, string>();
      deltas.set(delta.revision, encodeMembers(delta.members));
      partition.members.set(delta.item, deltas);
    }
    partition.deepRevision = Math.max(partition.deepRevision, change.deepRevision ?? 0);
    partition.notes = change.notes?.text ?? partition.notes;
    for (const { slot, text } of change.dropped ?? []) partition.dropped.set(slot, text);
  }

  #partition(person: PersonKey): Partition {
    let partition = this.#people.get(person);
    if (partition === undefined) {
      partition = new Partition();
      this.#people.set(person, partition);
    }
    return partition;
  }
}

function leave(partition: Partition, item: Item, movedFrom: Place): void {
  const former = formerAt(item, movedFrom);
  const key = placeKey({ activityAtMs: movedFrom.activityAtMs, id: item.id });
  if (former === null) partition.delete(key);
  else partition.put(key, { kind: 'former', place: former });
}
