/**
 * Random histories of one person's inbox, as an executor, retention and devices would write them: rows open, grow, move
 * up, are removed and marked, several in one write. Each step can be carried out on any store, in any order.
 */
import fc from 'fast-check';
import type { PersonKey } from '../../../server/src/base/ids.ts';
import { limits } from '../../../server/src/base/limits.ts';
import type { InboxStore } from '../../../server/src/inbox/inbox-store.ts';
import type { Item, Member, PersonWrite } from '../../../server/src/inbox/item.ts';
import { idTimeMs } from '../../../server/src/inbox/notification-id.ts';
import { noonMs, testItem, testMember } from '../../../server/src/inbox/test-items.ts';

export type HistoryStep = (store: InboxStore) => Promise<unknown>;

export interface History {
  readonly steps: readonly HistoryStep[];
  /** Ids of all rows there ever were. */
  readonly ids: readonly Item['id'][];
}

/** What is done to which row, and how far in time. */
type Command = readonly [
  action: 'open' | 'grow' | 'move' | 'remove' | 'mark' | 'through',
  row: number,
  minutes: number,
];

const commands = fc.array(
  fc.array(
    fc.tuple(
      fc.constantFrom<Command[0]>('open', 'open', 'open', 'grow', 'move', 'move', 'remove', 'mark', 'through'),
      fc.nat(1000),
      fc.nat(1440),
    ),
    { minLength: 1, maxLength: 8 },
  ),
  { minLength: 1, maxLength: 60, size: 'max' },
);

/** Histories over as many days as rows are opened: rows are some hours apart, or minutes where `dense`. */
export function histories(person: () => PersonKey, minutesApart: number): fc.Arbitrary<History> {
  return commands.map((batches) => {
    const writer = new HistoryWriter(person(), minutesApart);
    for (const batch of batches) writer.add(batch);
    return writer;
  });
}

class HistoryWriter implements History {
  readonly steps: HistoryStep[] = [];
  readonly ids: Item['id'][] = [];
  readonly #person: PersonKey;
  readonly #minutesApart: number;
  #live: Item[] = [];
  #revision = 0;

  constructor(person: PersonKey, minutesApart: number) {
    this.#person = person;
    this.#minutesApart = minutesApart;
  }

  add(batch: readonly Command[]): void {
    const items = new Map<Item['id'], PersonWrite['items'][number]>();
    const members: PersonWrite['members'][number][] = [];
    for (const [action, row, minutes] of batch) {
      const item = this.#live[row % Math.max(1, this.#live.length)];
      // One write names a row once, and what else is done to rows comes before it or behind.
      if (action !== 'open' && (item === undefined || items.has(item.id))) continue;
      if (action === 'open') this.#open(items, minutes);
      else if (action === 'grow') members.push(this.#grow(items, item as Item, minutes));
      else if (action === 'move') this.#move(items, item as Item, minutes);
      else if (action === 'remove') this.#remove([item as Item]);
      else this.#mark(action, item as Item, minutes);
    }
    const deepRevision = this.#revision % 3 === 0 ? this.#revision : null;
    const write: PersonWrite = { person: this.#person, items: [...items.values()], members, deepRevision };
    const position = this.steps.length;
    this.steps.push((store) => store.write(0, [write], [position]));
  }

  #open(items: Map<Item['id'], PersonWrite['items'][number]>, minutes: number): void {
    const timeMs = noonMs + (this.ids.length * this.#minutesApart + (minutes % 90)) * 60_000;
    const item = testItem(this.#person, `e${this.ids.length}`, timeMs, { revision: ++this.#revision });
    this.ids.push(item.id);
    this.#live.push(item);
    items.set(item.id, { item, movedFrom: null });
  }

  #grow(items: Map<Item['id'], PersonWrite['items'][number]>, item: Item, minutes: number) {
    const revision = ++this.#revision;
    const grown = this.#replace({ ...item, revision, actorCount: item.actorCount + 1 });
    items.set(item.id, { item: grown, movedFrom: null });
    const changed: Member[] = [
      testMember(`m${minutes % 5}`, { timeMs: noonMs + revision, present: minutes % 2 === 0 }),
    ];
    return { item: item.id, revision, members: changed };
  }

  #move(items: Map<Item['id'], PersonWrite['items'][number]>, item: Item, minutes: number): void {
    const lastMs = idTimeMs(item.id) + limits.groupSpanMs;
    const timeMs = Math.min(lastMs, item.activityAtMs + (1 + minutes) * 60_000);
    if (timeMs === item.activityAtMs) return;
    const revision = ++this.#revision;
    const former = { activityAtMs: item.activityAtMs, from: item.activityRevision, until: revision };
    const places = [...item.formerPlaces, former];
    const formerPlaces = places.slice(-limits.formerPlacesMax);
    const droppedFormer = places.slice(0, -limits.formerPlacesMax);
    const moved = { ...item, activityAtMs: timeMs, activityRevision: revision, revision, formerPlaces };
    items.set(item.id, { item: this.#replace(moved), movedFrom: item, droppedFormer });
  }

  #remove(removed: readonly Item[]): void {
    this.#live = this.#live.filter((item) => !removed.includes(item));
    const revision = ++this.#revision;
    this.steps.push((store) => store.remove(this.#person, removed, revision));
  }

  #mark(action: 'mark' | 'through', item: Item, minutes: number): void {
    const version = ++this.#revision;
    const change = { id: item.id, read: minutes % 2 === 0, ...(minutes % 3 === 0 ? { snoozedUntilMs: minutes } : {}) };
    const patch =
      action === 'mark' ? { version, items: [change] } : { version, readThrough: item.revision, seenThrough: minutes };
    this.steps.push((store) => store.mergeMarks(this.#person, patch));
  }

  #replace(item: Item): Item {
    this.#live = this.#live.map((other) => (other.id === item.id ? item : other));
    return item;
  }
}
