/**
 * The inbox store in LevelDB, for the embedded engine. All keys of a person lie in one range:
 *
 *     <prefix>p/<person> NUL a0 | a1       greatest deep revision of the executor, and of trimming (one writer each);
 *                                          a0 is there for everyone of whom anything is
 *                            b             through-marks
 *                            i <place key> an item, or `f<from>,<until>` where a row once stood; newest first
 *                            k <id>        marks of one item
 *                            m <id> NUL <revision>  one delta of members
 *                            n             notes
 *                            d<slot>       an event that left no row
 *     <prefix>pos/<shard>                  positions
 *
 * NUL cannot occur in ids, so no person's range reaches into another's. Writes are not synced: what a crash of the
 * machine takes is replayed from the event log, and since LevelDB keeps the order of its writes and the positions are
 * in the same batch as the rows, the position is never ahead of them. One process and one executor write: the later
 * write wins because it comes later.
 */
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Position } from '../log/event-log.ts';
import { clearedPlaces, formerAt } from './former-places.ts';
import type { InboxStore, MarksPatch, PersonHead, StoredRow } from './inbox-store.ts';
import type { Item, ItemMark, Marks, Member, PersonWrite, Place } from './item.ts';
import { noMarks } from './item.ts';
import { decodeItem, encodeItem } from './item-codec.ts';
import { decodeItemMark, decodeThrough, encodeItemMark, encodeThrough, hasItemMarks } from './marks-codec.ts';
import { decodeMembers, encodeMembers, mergeDeltas } from './member-codec.ts';
import { mergeItemMark, mergeThrough } from './merge-marks.ts';
import { idTimeMs, sortableTime } from './notification-id.ts';
import type { LevelDb } from './open-level.ts';
import { newestFirst, placeKey, placeOfKey } from './place-key.ts';

type Batch = ReturnType<LevelDb['batch']>;
type Snapshot = ReturnType<LevelDb['snapshot']>;
type Entry = [key: string, value: string];

/** Bytes one step of an iterator may take from LevelDB: more than a head of long rows. */
const stepBytes = 1024 * 1024;
const revisionChars = 11;

const unknownPerson: PersonHead = { items: [], complete: true, marks: noMarks, deepRevision: 0 };

export class InboxStoreLevel implements InboxStore {
  readonly #db: LevelDb;
  readonly #prefix: string;
  /** The last queued write to marks, or rewrite of members, per person: these read before they write. */
  #queues = new Map<PersonKey, Promise<unknown>>();

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDb, prefix = 'inbox/') {
    this.#db = db;
    this.#prefix = prefix;
  }

  async positions(shard: number): Promise<readonly Position[] | null> {
    const text = this.#db.getSync(`${this.#prefix}pos/${shard}`);
    return text === undefined ? null : (JSON.parse(text) as Position[]);
  }

  async write(shard: number, people: readonly PersonWrite[], positions: readonly Position[]): Promise<void> {
    if (this.#db.isBroken) await this.#db.mend();
    const batch = this.#db.batch();
    for (const change of people) putPerson(batch, this.#base(change.person), change);
    batch.put(`${this.#prefix}pos/${shard}`, JSON.stringify(positions));
    await batch.write();
  }

  async head(person: PersonKey, rowsMax: number): Promise<PersonHead> {
    const base = this.#base(person);
    // Nothing has been written of this person: most new people are met like this, and need no iterator.
    if (this.#db.getSync(`${base}a0`) === undefined) return unknownPerson;
    const snapshot = this.#db.snapshot();
    try {
      const get = (tag: string): string | undefined => this.#db.getSync<string, string>(base + tag, { snapshot });
      const deepRevision = Math.max(Number(get('a0') ?? 0), Number(get('a1') ?? 0));
      const through = get('b');
      const notes = get('n');
      const items = await this.#newest(base, rowsMax, snapshot);
      const complete = items.length <= rowsMax;
      if (!complete) items.pop();
      let marks = noMarks;
      if (through !== undefined) {
        // A row stands at most a group's span after the time in its id.
        const oldestMs = complete ? 0 : (items.at(-1)?.activityAtMs ?? 0) - limits.groupSpanMs;
        marks = await this.#withItems(base, through, `n_${sortableTime(oldestMs)}`, snapshot);
      }
      return { items, complete, marks, deepRevision, ...(notes === undefined ? {} : { notes }) };
    } finally {
      await snapshot.close();
    }
  }

  async rows(person: PersonKey, after: Place | null, rowsMax: number): Promise<readonly StoredRow[]> {
    const base = this.#base(person);
    const from = `${base}i${after === null ? '' : placeKey(after)}`;
    const entries = await this.#entries({ gt: from, lt: `${base}j`, limit: rowsMax });
    return entries.map(([key, text]) => storedRow(key.slice(base.length + 1), text));
  }

  async item(person: PersonKey, id: NotificationId): Promise<Item | null> {
    const base = this.#base(person);
    const timeMs = idTimeMs(id);
    const opened = this.#db.getSync(`${base}i${placeKey({ activityAtMs: timeMs, id })}`);
    if (opened !== undefined && isItem(opened)) return decodeItem(opened);
    // It has moved, and may move on while we look: then the next look finds it.
    for (let look = 0; look < 3; look++) {
      const keys = await this.#keys({
        gte: `${base}i${newestFirst(timeMs + limits.groupSpanMs)}`,
        lt: `${base}i${newestFirst(timeMs)}`,
      });
      const newest = keys.find((key) => key.endsWith(id));
      if (newest === undefined) return null;
      const text = this.#db.getSync(newest);
      if (text !== undefined && isItem(text)) return decodeItem(text);
    }
    return null;
  }

  async members(person: PersonKey, id: NotificationId): Promise<readonly Member[]> {
    const deltas = await this.#deltas(person, id);
    if (deltas.length > limits.memberDeltasMax) {
      // Only makes later reads cheaper: a disk that takes no writes must not keep anyone from reading.
      await this.#queue(person, () => this.#joinDeltas(person, id)).catch(() => {});
    }
    const item = await this.item(person, id);
    return mergeDeltas([item?.opening ?? [], ...deltas.map(([, text]) => decodeMembers(text))]);
  }

  async dropped(person: PersonKey): Promise<readonly string[]> {
    const base = this.#base(person);
    const entries = await this.#entries({ gte: `${base}d`, lt: `${base}e` });
    return entries.map(([, text]) => text);
  }

  async marks(person: PersonKey): Promise<Marks> {
    const base = this.#base(person);
    const snapshot = this.#db.snapshot();
    try {
      const through = this.#db.getSync<string, string>(`${base}b`, { snapshot });
      if (through === undefined) return noMarks;
      return await this.#withItems(base, through, '', snapshot);
    } finally {
      await snapshot.close();
    }
  }

  mergeMarks(person: PersonKey, patch: MarksPatch): Promise<Marks> {
    return this.#queue(person, async () => {
      if (this.#db.isBroken) await this.#db.mend();
      const base = this.#base(person);
      const batch = this.#db.batch();
      if (this.#db.getSync(`${base}a0`) === undefined) batch.put(`${base}a0`, '0');
      const through = this.#db.getSync(`${base}b`);
      const hasItems = (patch.items ?? []).length > 0 || (through !== undefined && hasItemMarks(through));
      const merged = mergeThrough(through === undefined ? noMarks : decodeThrough(through), patch);
      batch.put(`${base}b`, encodeThrough(merged, hasItems));
      for (const change of patch.items ?? []) {
        const key = `${base}k${change.id}`;
        const mark = this.#db.getSync(key);
        batch.put(key, encodeItemMark(mergeItemMark(mark ? decodeItemMark(mark) : undefined, change, patch.version)));
      }
      await batch.write();
      return this.marks(person);
    });
  }

  people(after: PersonKey | null, max: number): Promise<readonly PersonKey[]> {
    return this.#peopleWith('i', after, max);
  }

  /** People of whom anything is stored, if only marks, in the same order: for a copy. */
  everyone(after: PersonKey | null, max: number): Promise<readonly PersonKey[]> {
    return this.#peopleWith('', after, max);
  }

  async placeAt(person: PersonKey, rank: number): Promise<Place | null> {
    const base = this.#base(person);
    const iterator = this.#db.iterator({ gte: `${base}i`, lt: `${base}j`, highWaterMarkBytes: stepBytes });
    let before = rank;
    try {
      for (;;) {
        const entries = await iterator.nextv(before + 1);
        if (entries.length === 0) return null;
        for (const [key, text] of entries) {
          if (isItem(text) && before-- === 0) return placeOfKey(key.slice(base.length + 1));
        }
      }
    } finally {
      await iterator.close();
    }
  }

  remove(person: PersonKey, items: readonly Item[], revision: Revision): Promise<void> {
    return this.#queue(person, async () => {
      if (this.#db.isBroken) await this.#db.mend();
      const base = this.#base(person);
      const batch = this.#db.batch();
      for (const item of items) {
        const { id } = item;
        batch.del(`${base}i${placeKey(item)}`).del(`${base}k${id}`);
        for (const { activityAtMs } of item.formerPlaces) batch.del(`${base}i${placeKey({ activityAtMs, id })}`);
        for (const [key] of await this.#deltas(person, id)) batch.del(key);
      }
      batch.put(`${base}a1`, String(Math.max(revision, Number(this.#db.getSync(`${base}a1`) ?? 0))));
      await batch.write();
    });
  }

  /** The only writer's memory is empty then: nothing of a revision need stay. */
  erase(person: PersonKey): Promise<void> {
    return this.#queue(person, async () => {
      if (this.#db.isBroken) await this.#db.mend();
      const base = this.#base(person);
      const batch = this.#db.batch();
      for (const key of await this.#keys({ gte: base, lt: `${base.slice(0, -1)}\u0001` })) batch.del(key);
      await batch.write();
    });
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#queues.values());
  }

  /** People who have a key that begins with `tag`. */
  async #peopleWith(tag: string, after: PersonKey | null, max: number): Promise<readonly PersonKey[]> {
    const prefix = `${this.#prefix}p/`;
    const people: PersonKey[] = [];
    const iterator = this.#db.keys({ gt: prefix, lt: `${this.#prefix}p0` });
    try {
      // U+0001 is the least that may follow NUL, so it skips exactly this person's range.
      if (after !== null) iterator.seek(`${prefix}${after}\u0001`);
      for (;;) {
        const key = people.length < max ? await iterator.next() : undefined;
        if (key === undefined) return people;
        const base = key.slice(0, key.indexOf('\0') + 1);
        iterator.seek(base + tag);
        if ((await iterator.next())?.startsWith(base + tag)) people.push(base.slice(prefix.length, -1) as PersonKey);
        iterator.seek(`${base.slice(0, -1)}\u0001`);
      }
    } finally {
      await iterator.close();
    }
  }

  #base(person: PersonKey): string {
    return `${this.#prefix}p/${person}\0`;
  }

  /** The newest `rowsMax` items, and one more if there is one. Keys are not even read: an item says where it stands. */
  async #newest(base: string, rowsMax: number, snapshot: Snapshot): Promise<Item[]> {
    const range = { gte: `${base}i`, lt: `${base}j`, highWaterMarkBytes: stepBytes, snapshot };
    const iterator = this.#db.values<string, string>(range);
    const items: Item[] = [];
    try {
      for (;;) {
        const texts = await iterator.nextv(rowsMax + 1 - items.length);
        for (const text of texts) if (isItem(text)) items.push(decodeItem(text));
        if (texts.length === 0 || items.length > rowsMax) return items;
      }
    } finally {
      await iterator.close();
    }
  }

  /** Marks with those of the items from `leastId` on; people who only ever marked all have no others to look for. */
  async #withItems(base: string, through: string, leastId: string, snapshot: Snapshot): Promise<Marks> {
    const marks = decodeThrough(through);
    if (!hasItemMarks(through)) return { ...marks, items: noMarks.items };
    return { ...marks, items: await this.#itemMarks(base, leastId, snapshot) };
  }

  async #itemMarks(base: string, leastId: string, snapshot: Snapshot): Promise<Map<NotificationId, ItemMark>> {
    const entries = await this.#entries({ gte: `${base}k${leastId}`, lt: `${base}l`, snapshot });
    const skip = base.length + 1;
    return new Map(entries.map(([key, text]) => [key.slice(skip) as NotificationId, decodeItemMark(text)]));
  }

  #deltas(person: PersonKey, id: NotificationId): Promise<Entry[]> {
    const start = `${this.#base(person)}m${id}`;
    return this.#entries({ gt: `${start}\0`, lt: `${start}\u0001` });
  }

  /** Many small deltas become one in the place of the last: wholly or not at all, and the merged members are the same. */
  async #joinDeltas(person: PersonKey, id: NotificationId): Promise<void> {
    const deltas = await this.#deltas(person, id);
    const last = deltas.at(-1);
    if (last === undefined || deltas.length <= limits.memberDeltasMax) return;
    const batch = this.#db.batch();
    for (const [key] of deltas) batch.del(key);
    batch.put(last[0], encodeMembers(mergeDeltas(deltas.map(([, text]) => decodeMembers(text)))));
    await batch.write();
  }

  async #entries(range: { gt?: string; gte?: string; lt: string; limit?: number; snapshot?: Snapshot }) {
    const iterator = this.#db.iterator<string, string>({ ...range, highWaterMarkBytes: stepBytes });
    try {
      const entries: Entry[] = await iterator.nextv(range.limit ?? 1000);
      if (entries.length === 0) return entries;
      for (;;) {
        const more = await iterator.nextv(1000);
        if (more.length === 0) return entries;
        entries.push(...more);
      }
    } finally {
      await iterator.close();
    }
  }

  async #keys(range: { gte: string; lt: string }): Promise<string[]> {
    return this.#db.keys({ ...range, highWaterMarkBytes: stepBytes }).all();
  }

  /** Runs `work` after all earlier work of this person, whether that succeeded or not. */
  #queue<Result>(person: PersonKey, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#queues.get(person) ?? Promise.resolve()).then(work, work);
    const settled: Promise<unknown> = result
      .catch(() => {})
      .then(() => {
        if (this.#queues.get(person) === settled) this.#queues.delete(person);
      });
    this.#queues.set(person, settled);
    return result;
  }
}

function putPerson(batch: Batch, base: string, change: PersonWrite): void {
  for (const { item, movedFrom, droppedFormer } of change.items) {
    if (movedFrom !== null) putFormer(batch, base, item, movedFrom);
    for (const activityAtMs of droppedFormer === undefined ? [] : clearedPlaces(item, droppedFormer)) {
      batch.del(`${base}i${placeKey({ activityAtMs, id: item.id })}`);
    }
    // Behind the former place: where the two are the same, the item stands.
    batch.put(`${base}i${placeKey(item)}`, encodeItem(item));
  }
  for (const delta of change.members) {
    const revision = delta.revision.toString(36).padStart(revisionChars, '0');
    batch.put(`${base}m${delta.item}\0${revision}`, encodeMembers(delta.members));
  }
  if (change.deepRevision !== null) batch.put(`${base}a0`, String(change.deepRevision));
  if (change.notes !== undefined) batch.put(`${base}n`, change.notes.text);
  for (const { slot, text } of change.dropped ?? []) batch.put(`${base}d${slot}`, text);
}

function putFormer(batch: Batch, base: string, item: Item, movedFrom: Place): void {
  const key = `${base}i${placeKey({ activityAtMs: movedFrom.activityAtMs, id: item.id })}`;
  const former = formerAt(item, movedFrom);
  if (former === null) batch.del(key);
  else batch.put(key, `f${former.from},${former.until}`);
}

function isItem(text: string): boolean {
  return text.charCodeAt(0) !== 0x66;
}

function storedRow(key: string, text: string): StoredRow {
  if (isItem(text)) return { kind: 'item', item: decodeItem(text) };
  const { activityAtMs, id } = placeOfKey(key);
  const [from, until] = text.slice(1).split(',').map(Number) as [number, number];
  return { kind: 'former', id, place: { activityAtMs, from, until } };
}
