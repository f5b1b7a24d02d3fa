/**
 * Timers in LevelDB, for the embedded engine, under a prefix of the database that others use too:
 *
 *     <prefix><shard>/<due time, 11 digits of base 36><id>   a timer
 *
 * so that a shard's timers lie in order. What is done is deleted, and a read that began at the shard's first key would
 * walk over everything deleted since LevelDB last tidied up. So reads begin where the last one met something: nothing
 * lies before that but what has been written there since.
 */
import type { LevelDb } from '../inbox/open-level.ts';
import { decodeTimer, encodeTimer } from './timer-codec.ts';
import type { Timer, TimerChange, TimerKey, TimerStore } from './timer-store.ts';

/** Where reads of a shard begin: the part of a key behind the shard's own. */
interface Head {
  place: string;
  /** Writes that have begun, and those of them that have not ended: so a read knows whether one ran beside it. */
  begun: number;
  underWay: number;
}

/** Before and behind every place, which begins with a digit or letter. */
const start = '';
const end = '~';
const dueChars = 11;

export class TimerStoreLevel implements TimerStore {
  readonly #db: LevelDb;
  readonly #prefix: string;
  /** By shard: nothing lies before it. */
  readonly #heads = new Map<number, Head>();

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDb, prefix = 'timer/') {
    this.#db = db;
    this.#prefix = prefix;
  }

  async open(shard: number): Promise<void> {
    this.#head(shard).place = start;
  }

  async write(shard: number, { set = [], done = [] }: TimerChange): Promise<void> {
    if (set.length + done.length === 0) return;
    if (this.#db.isBroken) await this.#db.mend();
    const base = this.#base(shard);
    const head = this.#head(shard);
    const batch = this.#db.batch();
    for (const timer of set) {
      const place = placeOf(timer);
      if (place < head.place) head.place = place;
      batch.put(base + place, encodeTimer(timer));
    }
    for (const key of done) batch.del(base + placeOf(key));
    head.begun++;
    head.underWay++;
    try {
      await batch.write();
    } finally {
      head.underWay--;
    }
  }

  async due(shard: number, nowMs: number, max: number): Promise<readonly Timer[]> {
    const timers = await this.#first(shard, max);
    const later = timers.findIndex(({ dueMs }) => dueMs > nowMs);
    return later < 0 ? timers : timers.slice(0, later);
  }

  async nextDueMs(shard: number): Promise<number | null> {
    return (await this.#first(shard, 1))[0]?.dueMs ?? null;
  }

  async list(shard: number, after: Pick<TimerKey, 'id' | 'dueMs'> | null, max: number): Promise<readonly Timer[]> {
    return after === null ? this.#first(shard, max) : this.#read(shard, { gt: placeOf(after) }, max);
  }

  async #first(shard: number, max: number): Promise<readonly Timer[]> {
    const head = this.#head(shard);
    const { begun, underWay } = head;
    const timers = await this.#read(shard, { gte: head.place }, max);
    const ranAlone = underWay === 0 && head.begun === begun;
    if (ranAlone) head.place = timers[0] === undefined ? end : placeOf(timers[0]);
    return timers;
  }

  async #read(shard: number, from: { gt: string } | { gte: string }, max: number): Promise<Timer[]> {
    const base = this.#base(shard);
    const range = 'gt' in from ? { gt: base + from.gt } : { gte: base + from.gte };
    const entries = await this.#db.iterator({ ...range, lt: base + end, limit: max }).all();
    return entries.map(([key, text]) => decodeTimer(keyOf(key.slice(base.length)), text));
  }

  #head(shard: number): Head {
    const head = this.#heads.get(shard) ?? { place: start, begun: 0, underWay: 0 };
    this.#heads.set(shard, head);
    return head;
  }

  #base(shard: number): string {
    return `${this.#prefix}${shard}/`;
  }
}

function placeOf({ id, dueMs }: Pick<TimerKey, 'id' | 'dueMs'>): string {
  return dueMs.toString(36).padStart(dueChars, '0') + id;
}

function keyOf(place: string): Pick<TimerKey, 'id' | 'dueMs'> {
  return { dueMs: Number.parseInt(place.slice(0, dueChars), 36), id: place.slice(dueChars) };
}
