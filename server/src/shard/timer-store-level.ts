/**
 * Timers in LevelDB, for the embedded engine, under a prefix of the database that others use too:
 *
 *     <prefix><shard>/b<first due time><number>   a bundle of timers (`level/timer-bundle.ts`)
 *                     p<the same>                 which of the bundle are done, while some are not
 *                     g<due time><id>             a timer is done up to a revision, and its bundle was not in memory
 *                     z                           rules of zones
 *
 * Bundles that are due are read into memory, once, and stay until all in them is done. `cursor` is where the next read
 * begins: no bundle before it is out of memory, so a read never walks over what was deleted. A timer set anew may be in
 * two bundles; the greater revision counts, and the other is done when both have been read.
 *
 * What a call changes is one batch. Memory follows once it is written, and calls for one shard run one after another, so
 * that memory is never ahead of the database. When a call fails, memory is dropped and read again.
 */
import type { LevelDb } from '../inbox/open-level.ts';
import { LoadedTimers, type TimerEntry } from './level/loaded-timers.ts';
import {
  bundleSpanMs,
  bundlesOf,
  decodeBundle,
  decodePlaces,
  encodeBundle,
  encodePlaces,
} from './level/timer-bundle.ts';
import { compareTimers, timerName } from './timer-order.ts';
import type { Timer, TimerChange, TimerKey, TimerStore } from './timer-store.ts';

type Batch = ReturnType<LevelDb['batch']>;
type Place = Pick<TimerKey, 'id' | 'dueMs'>;

interface Shard {
  readonly base: string;
  loaded: LoadedTimers;
  /** Where the next read begins, behind a `b`. */
  cursor: string;
  /** All bundles that begin by then are, or were, in memory. */
  readUpToMs: number;
  /** The last time that was asked for: what is set for then, or soon after, is kept in memory at once. */
  seenMs: number;
  mayHaveMarks: boolean;
  turn: Promise<unknown>;
}

/** Bundles read at once. */
const pageBundles = 16;
const dueChars = 11;
const numberChars = 6;
/** Sorts before every place, and behind. */
const start = '';
const end = '~';

export class TimerStoreLevel implements TimerStore {
  readonly #db: LevelDb;
  readonly #prefix: string;
  readonly #shards = new Map<number, Shard>();
  #bundles = 0;

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDb, prefix = 'timer/') {
    this.#db = db;
    this.#prefix = prefix;
  }

  async open(shard: number): Promise<void> {
    const turn = this.#shards.get(shard)?.turn ?? Promise.resolve();
    this.#shards.set(shard, { base: `${this.#prefix}${shard}/`, ...nothingRead(), turn });
  }

  write(shard: number, { set = [], done = [] }: TimerChange): Promise<void> {
    if (set.length + done.length === 0) return Promise.resolve();
    return this.#inTurn(shard, async (known) => {
      const timers = set.length === 0 || (done.length === 0 && areDistinct(set)) ? set : remaining(set, done);
      const gone = [...set, ...done].flatMap((key) => known.loaded.get(key) ?? []);
      const bundles = bundlesOf(timers).map((each) => ({
        place: this.#newPlace(known, each[0] as Timer),
        each,
      }));
      const marked = done.filter(({ dueMs }) => dueMs > known.readUpToMs);
      await this.#apply(known, gone, (batch) => {
        for (const { place, each } of bundles) batch.put(`${known.base}b${place}`, encodeBundle(each));
        for (const key of marked) batch.put(`${known.base}g${markOf(key)}`, key.revision.toString(36));
      });
      if (marked.length > 0) known.mayHaveMarks = true;
      for (const { place, each } of bundles) {
        if ((each[0] as Timer).dueMs <= known.seenMs + bundleSpanMs) known.loaded.add(place, each, new Set());
        else if (place < known.cursor) moveCursor(known, place, (each[0] as Timer).dueMs - 1);
      }
    });
  }

  due(shard: number, nowMs: number, max: number): Promise<readonly Timer[]> {
    return this.#inTurn(shard, async (known) => {
      known.seenMs = nowMs;
      for (;;) {
        const timers = known.loaded.first(max, nowMs);
        const lastMs = timers.length < max ? nowMs : (timers.at(-1)?.dueMs ?? nowMs);
        if (lastMs <= known.readUpToMs) return timers;
        await this.#load(known, nowMs, pageBundles);
      }
    });
  }

  nextDueMs(shard: number): Promise<number | null> {
    return this.#inTurn(shard, async (known) => {
      for (;;) {
        const [first] = known.loaded.first(1, Number.POSITIVE_INFINITY);
        const untilMs = first?.dueMs ?? Number.POSITIVE_INFINITY;
        if (untilMs <= known.readUpToMs) return first?.dueMs ?? null;
        await this.#load(known, untilMs, 1);
      }
    });
  }

  list(shard: number, after: Place | null, max: number): Promise<readonly Timer[]> {
    return this.#inTurn(shard, async (known) => {
      const found = new Map<string, Timer>();
      let from = after === null ? start : placeOf(after.dueMs - bundleSpanMs);
      for (;;) {
        const page = await this.#bundlesFrom(known, from, { untilMs: Number.POSITIVE_INFINITY, max: pageBundles });
        for (const { timers, done } of await this.#withDone(known, page)) {
          for (const [index, timer] of timers.entries()) {
            const isWanted = !done.has(index) && (after === null || compareTimers(timer, after) > 0);
            const other = isWanted ? found.get(timerName(timer)) : undefined;
            if (isWanted && (other === undefined || other.revision <= timer.revision))
              found.set(timerName(timer), timer);
          }
        }
        const last = page.at(-1);
        const first = [...found.values()].sort(compareTimers).slice(0, max);
        if (last === undefined || page.length < pageBundles) return first;
        // Whatever comes in later bundles is due later than these.
        if (first.length === max && placeOf((first.at(-1) as Timer).dueMs + 1) <= last.place) return first;
        from = last.place + end;
      }
    });
  }

  async zones(shard: number): Promise<string | null> {
    return this.#db.getSync(`${this.#prefix}${shard}/z`) ?? null;
  }

  noteZones(shard: number, version: string): Promise<void> {
    return this.#inTurn(shard, async () => {
      if (this.#db.isBroken) await this.#db.mend();
      await this.#db.batch().put(`${this.#prefix}${shard}/z`, version).write();
    });
  }

  /** Reads the next bundles that are due by then into memory, and drops what of them is done by now. */
  async #load(known: Shard, untilMs: number, max: number): Promise<void> {
    const page = await this.#bundlesFrom(known, known.cursor, { untilMs, max });
    const fresh = (await this.#withDone(known, page)).filter(({ place }) => !known.loaded.bundles.has(place));
    const gone: TimerEntry[] = [];
    for (const { place, timers, stored, done } of fresh) {
      const older = timers.map((timer) => known.loaded.get(timer));
      const bundle = known.loaded.add(place, timers, stored);
      for (const [index, entry] of bundle.entries.entries()) {
        const other = older[index];
        if (done.has(index)) gone.push(entry);
        else if (other !== undefined) gone.push(other.timer.revision > entry.timer.revision ? entry : other);
      }
    }
    const last = page.length < max ? undefined : page.at(-1);
    if (last === undefined) moveCursor(known, placeAfter(untilMs), untilMs);
    else moveCursor(known, last.place + end, (last.timers[0] as Timer).dueMs - 1);
    await this.#apply(known, gone, () => {});
    if (known.mayHaveMarks && page.length < max) await this.#dropMarks(known, untilMs);
  }

  /** `stored`: done as their bundle says. `done`: also as marks say. */
  async #withDone(known: Shard, page: readonly { place: string; timers: Timer[] }[]) {
    const latestMs = Math.max(0, ...page.map(({ timers }) => timers.at(-1)?.dueMs ?? 0));
    const marks = known.mayHaveMarks ? await this.#marksUpTo(known, latestMs) : new Map<string, number>();
    return page.map(({ place, timers }) => {
      const inMemory = known.loaded.bundles.get(place);
      const stored =
        inMemory === undefined
          ? decodePlaces(this.#db.getSync(`${known.base}p${place}`))
          : new Set(inMemory.entries.keys().filter((index) => inMemory.entries[index]?.isDone));
      if (marks.size === 0) return { place, timers, stored, done: stored };
      const isMarked = (timer: Timer): boolean => (marks.get(markOf(timer)) ?? -1) >= timer.revision;
      const done = new Set([...timers.keys()].filter((index) => stored.has(index) || isMarked(timers[index] as Timer)));
      return { place, timers, stored, done };
    });
  }

  async #bundlesFrom(known: Shard, from: string, { untilMs, max }: { untilMs: number; max: number }) {
    const range = { gte: `${known.base}b${from}`, lt: `${known.base}b${placeAfter(untilMs)}`, limit: max };
    const entries = await this.#db.iterator(range).all();
    const skip = known.base.length + 1;
    return entries.map(([key, text]) => ({ place: key.slice(skip), timers: decodeBundle(text) }));
  }

  async #marksUpTo(known: Shard, untilMs: number): Promise<Map<string, number>> {
    const range = { gte: `${known.base}g`, lt: `${known.base}g${placeAfter(untilMs)}` };
    const entries = await this.#db.iterator(range).all();
    const skip = known.base.length + 1;
    return new Map(entries.map(([key, text]) => [key.slice(skip), Number.parseInt(text, 36)]));
  }

  /** Of timers whose bundles have all been read. */
  async #dropMarks(known: Shard, untilMs: number): Promise<void> {
    const marks = await this.#marksUpTo(known, untilMs);
    if (marks.size > 0) {
      await this.#apply(known, [], (batch) => {
        for (const mark of marks.keys()) batch.del(`${known.base}g${mark}`);
      });
    }
    const rest = await this.#db.keys({ gte: `${known.base}g`, lt: `${known.base}h`, limit: 1 }).all();
    known.mayHaveMarks = rest.length > 0;
  }

  /** One batch, with what it says of bundles in memory of which these are done; then they are done in memory. */
  async #apply(known: Shard, gone: readonly TimerEntry[], more: (batch: Batch) => void): Promise<void> {
    if (this.#db.isBroken) await this.#db.mend();
    const batch = this.#db.batch();
    for (const [{ place, entries, left }, some] of Map.groupBy(new Set(gone), ({ bundle }) => bundle)) {
      const leaving = new Set(some.filter(({ isDone }) => !isDone));
      if (leaving.size === left) {
        batch.del(`${known.base}b${place}`).del(`${known.base}p${place}`);
      } else {
        const places = entries.flatMap((entry, index) => (entry.isDone || leaving.has(entry) ? [index] : []));
        batch.put(`${known.base}p${place}`, encodePlaces(places));
      }
    }
    more(batch);
    if (batch.length > 0) await batch.write();
    else await batch.close();
    for (const entry of gone) known.loaded.done(entry);
  }

  /** A place that no bundle has had. */
  #newPlace(known: Shard, { dueMs }: Timer): string {
    for (;;) {
      const place = placeOf(dueMs) + (this.#bundles++).toString(36).padStart(numberChars, '0');
      if (this.#db.getSync(`${known.base}b${place}`) === undefined) return place;
    }
  }

  /** Runs `work` after all earlier calls for the shard, whether they succeeded or not. */
  #inTurn<Result>(shard: number, work: (known: Shard) => Promise<Result>): Promise<Result> {
    const known = this.#shards.get(shard);
    if (known === undefined) return Promise.reject(new Error(`timers of shard ${shard} were not opened`));
    const result = known.turn.then(() => work(known));
    known.turn = result.catch(() => Object.assign(known, nothingRead()));
    return result;
  }
}

function nothingRead(): Omit<Shard, 'base' | 'turn'> {
  const never = Number.NEGATIVE_INFINITY;
  return { loaded: new LoadedTimers(), cursor: start, readUpToMs: never, seenMs: never, mayHaveMarks: true };
}

function moveCursor(known: Shard, cursor: string, readUpToMs: number): void {
  known.cursor = cursor;
  known.readUpToMs = readUpToMs;
}

function areDistinct(timers: readonly Timer[]): boolean {
  return new Set(timers.map(({ id }) => id)).size === timers.length;
}

/** Of timers set more than once the last, of those that are done too none. */
function remaining(set: readonly Timer[], done: readonly TimerKey[]): Iterable<Timer> {
  const timers = new Map(set.map((timer) => [timerName(timer), timer]));
  for (const key of done) timers.delete(timerName(key));
  return timers.values();
}

function placeOf(dueMs: number): string {
  return Math.max(0, dueMs).toString(36).padStart(dueChars, '0');
}

/** Behind all that is due by then. */
function placeAfter(dueMs: number): string {
  return dueMs === Number.POSITIVE_INFINITY ? end : placeOf(dueMs + 1);
}

function markOf({ id, dueMs }: Place): string {
  return placeOf(dueMs) + id;
}
