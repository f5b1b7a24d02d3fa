/**
 * One person's inbox written the way the shard executor writes it: revisions rise, rows that move remember where they
 * stood, and a change below the newest rows raises the deep revision.
 */
import type { Clock } from '../base/clock.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import type { InboxStore } from './inbox-store.ts';
import type { FormerPlace, Item, Place } from './item.ts';
import { placeKey } from './place-key.ts';
import { moved, testItem } from './test-items.ts';

export class TestInbox {
  readonly items: Map<NotificationId, Item> = new Map();
  revision: Revision = 0;
  readonly #store: InboxStore;
  readonly #clock: Clock;
  readonly #person: PersonKey;
  #deepRevision: Revision = 0;

  constructor(store: InboxStore, clock: Clock, person: PersonKey) {
    this.#store = store;
    this.#clock = clock;
    this.#person = person;
  }

  /** A new row for an event at `timeMs`. */
  async add(eventId: string, timeMs: number, change: Partial<Item> = {}): Promise<Item> {
    const item = testItem(this.#person, eventId, timeMs, { ...change, revision: this.#next() });
    await this.#write(item, null, []);
    return item;
  }

  /** A group that takes an event at `timeMs` and moves to the top with it. */
  async move(id: NotificationId, timeMs: number): Promise<Item> {
    const item = this.items.get(id) as Item;
    const up = moved(item, timeMs, this.#next());
    const kept = up.formerPlaces.slice(-limits.formerPlacesMax);
    const dropped = up.formerPlaces.slice(0, up.formerPlaces.length - kept.length);
    const next = { ...up, formerPlaces: kept, actorCount: item.actorCount + 1 };
    await this.#write(next, item, dropped);
    return next;
  }

  /** A change in place: new words, one more person, or the end. */
  async change(id: NotificationId, change: Partial<Item>): Promise<Item> {
    const item = { ...(this.items.get(id) as Item), ...change, revision: this.#next() };
    await this.#write(item, null, []);
    return item;
  }

  /** Rows in list order, removed ones too. */
  list(): Item[] {
    return [...this.items.values()].sort((a, b) => (placeKey(a) < placeKey(b) ? -1 : 1));
  }

  async #write(item: Item, movedFrom: Place | null, droppedFormer: FormerPlace[]): Promise<void> {
    this.items.set(item.id, item);
    const isDeep = this.list().indexOf(item) >= limits.changesMax;
    if (isDeep) this.#deepRevision = item.revision;
    const deepRevision = this.#deepRevision;
    const items = [{ item, movedFrom, droppedFormer }];
    await this.#store.write(0, [{ person: this.#person, items, members: [], deepRevision }], [item.revision]);
  }

  #next(): Revision {
    this.revision = nextRevision(this.revision, this.#clock.now());
    return this.revision;
  }
}
