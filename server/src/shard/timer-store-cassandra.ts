/**
 * Timers in Cassandra, or ScyllaDB, for the cluster engine. Tables: `cluster/cassandra-schema.ts`.
 *
 * Buckets: a partition holds the timers of one shard and minute; `timer_minutes` says which minutes of a shard have
 *   any, and is written before the first of them, so that no bucket is ever forgotten.
 * Done: a timer is marked, not deleted, and its bucket deleted as a whole once its minute is over and all in it are
 *   done. So nothing ever reads over tombstones, however many timers a minute has.
 * Order: cells carry twice the revision as their timestamp, the mark of being done one more: of two writes to a timer
 *   the later revision wins, whenever they arrive and however often; a bucket is deleted as of a time before which no
 *   write is still under way.
 * Reading goes on where the last read ended: what was handed out and is not done is in memory, and so is what is set
 *   before that place. `open` forgets all that and looks into every bucket that is left.
 */
import type { Client, types } from 'cassandra-driver';
import { limits } from '../base/limits.ts';
import { revisionAt } from '../base/revision.ts';
import { decodeTimer, encodeTimer } from './timer-codec.ts';
import { compareTimers, timerName } from './timer-order.ts';
import type { Timer, TimerChange, TimerKey, TimerStore } from './timer-store.ts';

type Place = Pick<TimerKey, 'id' | 'dueMs'>;

const minutes = 'SELECT minute FROM timer_minutes WHERE shard = ?';
const putMinute = 'INSERT INTO timer_minutes (shard, minute) VALUES (?, ?) USING TIMESTAMP ?';
const deleteMinutes = 'DELETE FROM timer_minutes USING TIMESTAMP ? WHERE shard = ? AND minute < ?';
const page = `SELECT due_ms, id, timer, is_done FROM timers
  WHERE shard = ? AND minute = ? AND (due_ms, id) > (?, ?) LIMIT ?`;
const whereTimer = 'WHERE shard = ? AND minute = ? AND due_ms = ? AND id = ?';
const putTimer = `UPDATE timers USING TIMESTAMP ? SET timer = ?, is_done = false ${whereTimer}`;
const markDone = `UPDATE timers USING TIMESTAMP ? SET is_done = true ${whereTimer}`;
const deleteBucket = 'DELETE FROM timers USING TIMESTAMP ? WHERE shard = ? AND minute = ?';

/** A row of its own beside the timers, in no minute that is listed. */
const zonesPlace = [-1, 0, 'zones'] as const;
const getZones = `SELECT timer FROM timers ${whereTimer}`;
const putZones = `UPDATE timers SET timer = ? ${whereTimer}`;

const minuteMs = 60_000;
/** Timers in one mutation: well below the size of a batch that Cassandra warns of. */
const batchRows = 24;
/** Minutes that are over before their entries go, in one range: a tombstone for each would be many. */
const minutesPerDelete = 60;

/** What is known of a shard: all timers up to `cursor` that are not done are in `waiting`. */
interface Shard {
  /** With timers, ascending. */
  minutes: number[];
  readonly waiting: Map<string, Timer>;
  cursor: Place;
  /** Buckets deleted whose minutes are still listed. */
  listedInVain: number;
  /** The last call: they run one after another. */
  turn: Promise<unknown>;
}

export class TimerStoreCassandra implements TimerStore {
  readonly #client: Client;
  readonly #shards = new Map<number, Shard>();

  /** The client is connected to the keyspace and stays the caller's to close. */
  constructor(client: Client) {
    this.#client = client;
  }

  open(shard: number): Promise<void> {
    const known: Shard = {
      minutes: [],
      waiting: new Map(),
      cursor: { dueMs: Number.MIN_SAFE_INTEGER, id: '' },
      listedInVain: 0,
      turn: this.#shards.get(shard)?.turn ?? Promise.resolve(),
    };
    this.#shards.set(shard, known);
    return this.#inTurn(shard, async () => {
      const rows = await this.#select(minutes, [shard]);
      known.minutes = rows.map((row) => row.minute as number);
    });
  }

  write(shard: number, { set = [], done = [] }: TimerChange): Promise<void> {
    return this.#inTurn(shard, async (known) => {
      for (const timer of set) await this.#listMinute(shard, known, timer);
      await this.#apply(set.map((timer) => this.#put(shard, timer)));
      for (const timer of set) {
        if (compareTimers(timer, known.cursor) <= 0) known.waiting.set(timerName(timer), timer);
      }
      // Of a bucket that is gone, all were done.
      const there = done.filter((key) => known.minutes.includes(minuteOf(key.dueMs)));
      await this.#apply(there.map((key) => this.#done(shard, key)));
      for (const key of done) known.waiting.delete(timerName(key));
    });
  }

  due(shard: number, nowMs: number, max: number): Promise<readonly Timer[]> {
    return this.#inTurn(shard, async (known) => {
      await this.#deleteFinished(shard, known, nowMs);
      await this.#readUpTo(shard, known, { nowMs, max });
      const timers = [...known.waiting.values()].filter(({ dueMs }) => dueMs <= nowMs);
      return timers.sort(compareTimers).slice(0, max);
    });
  }

  nextDueMs(shard: number): Promise<number | null> {
    return this.#inTurn(shard, async (known) => {
      const [waiting] = [...known.waiting.values()].sort(compareTimers);
      return (waiting ?? (await this.#behind(shard, known, known.cursor, 1))[0])?.dueMs ?? null;
    });
  }

  list(shard: number, after: Place | null, max: number): Promise<readonly Timer[]> {
    const from = after ?? { dueMs: Number.MIN_SAFE_INTEGER, id: '' };
    return this.#inTurn(shard, (known) => this.#behind(shard, known, from, max));
  }

  async zones(shard: number): Promise<string | null> {
    const [row] = await this.#select(getZones, [shard, ...zonesPlace]);
    return (row?.timer as string | null | undefined) ?? null;
  }

  async noteZones(shard: number, version: string): Promise<void> {
    await this.#client.execute(putZones, [version, shard, ...zonesPlace], { prepare: true, isIdempotent: true });
  }

  /** Reads on from the cursor until `max` wait, or all that is due does. */
  async #readUpTo(shard: number, known: Shard, { nowMs, max }: { nowMs: number; max: number }): Promise<void> {
    for (const minute of known.minutes.filter((each) => each >= minuteOf(known.cursor.dueMs))) {
      if (minute > minuteOf(nowMs)) return;
      for (let hasMore = true; hasMore; ) {
        if (known.waiting.size >= max) return;
        const rows = await this.#page(shard, minute, known.cursor);
        for (const row of rows) {
          if (row.place.dueMs > nowMs) return;
          known.cursor = row.place;
          if (row.timer !== null) known.waiting.set(timerName(row.place), row.timer);
        }
        hasMore = rows.length === limits.timerPageRows;
      }
      if (minute < minuteOf(nowMs)) known.cursor = { dueMs: (minute + 1) * minuteMs, id: '' };
    }
  }

  /** Timers not done behind a place, of all buckets. */
  async #behind(shard: number, known: Shard, from: Place, max: number): Promise<Timer[]> {
    const timers: Timer[] = [];
    for (const minute of known.minutes.filter((each) => each >= minuteOf(from.dueMs))) {
      let last = from;
      for (let hasMore = true; hasMore; ) {
        const rows = await this.#page(shard, minute, last);
        for (const { timer } of rows) if (timer !== null) timers.push(timer);
        if (timers.length >= max) return timers.slice(0, max);
        last = rows.at(-1)?.place ?? last;
        hasMore = rows.length === limits.timerPageRows;
      }
    }
    return timers;
  }

  /** Null where the timer is done. */
  async #page(shard: number, minute: number, after: Place): Promise<{ place: Place; timer: Timer | null }[]> {
    const rows = await this.#select(page, [shard, minute, after.dueMs, after.id, limits.timerPageRows]);
    return rows.map((row) => {
      const place = { dueMs: (row.due_ms as types.Long).toNumber(), id: row.id as string };
      // One that was done after its bucket went has no more than the mark.
      const isDone = row.is_done === true || row.timer === null;
      return { place, timer: isDone ? null : decodeTimer(place, row.timer as string) };
    });
  }

  /** Buckets whose minute is over, and read to the end, with nothing left to do. */
  async #deleteFinished(shard: number, known: Shard, nowMs: number): Promise<void> {
    const waiting = new Set([...known.waiting.values()].map(({ dueMs }) => minuteOf(dueMs)));
    const settledMs = nowMs - limits.lateWriteMs;
    const isFinished = (minute: number): boolean =>
      minute < minuteOf(known.cursor.dueMs) && minute < minuteOf(settledMs) && !waiting.has(minute);
    const finished = known.minutes.filter(isFinished);
    if (finished.length === 0) return;
    const timestamp = 2 * revisionAt(settledMs);
    await Promise.all(finished.map((minute) => this.#execute(deleteBucket, [timestamp, shard, minute])));
    known.minutes = known.minutes.filter((minute) => !finished.includes(minute));
    known.listedInVain += finished.length;
    if (known.listedInVain < minutesPerDelete) return;
    known.listedInVain = 0;
    const least = known.minutes[0] ?? minuteOf(settledMs);
    await this.#execute(deleteMinutes, [timestamp, shard, Math.min(least, minuteOf(settledMs))]);
  }

  async #listMinute(shard: number, known: Shard, { dueMs, revision }: TimerKey): Promise<void> {
    const minute = minuteOf(dueMs);
    if (known.minutes.includes(minute)) return;
    await this.#execute(putMinute, [shard, minute, 2 * revision]);
    known.minutes = [...known.minutes, minute].sort((a, b) => a - b);
  }

  #put(shard: number, timer: Timer): Write {
    const { dueMs, id, revision } = timer;
    const minute = minuteOf(dueMs);
    return { minute, query: putTimer, params: [2 * revision, encodeTimer(timer), shard, minute, dueMs, id] };
  }

  #done(shard: number, { dueMs, id, revision }: TimerKey): Write {
    const minute = minuteOf(dueMs);
    return { minute, query: markDone, params: [2 * revision + 1, shard, minute, dueMs, id] };
  }

  /** In batches of one partition: each is one mutation. */
  async #apply(writes: readonly Write[]): Promise<void> {
    const batches: Write[][] = [];
    for (const ofMinute of Map.groupBy(writes, ({ minute }) => minute).values()) {
      for (let at = 0; at < ofMinute.length; at += batchRows) batches.push(ofMinute.slice(at, at + batchRows));
    }
    const options = { prepare: true, isIdempotent: true, logged: false };
    const send = (batch: Write[]) =>
      this.#client.batch(
        batch.map(({ query, params }) => ({ query, params: [...params] })),
        options,
      );
    await Promise.all(batches.map(send));
  }

  async #execute(query: string, params: readonly unknown[]): Promise<void> {
    await this.#client.execute(query, [...params], { prepare: true, isIdempotent: true });
  }

  async #select(query: string, params: readonly unknown[]): Promise<types.Row[]> {
    const rows: types.Row[] = [];
    for (let pageState: string | undefined; ; ) {
      const options = { prepare: true, isIdempotent: true, ...(pageState ? { pageState } : {}) };
      const result = await this.#client.execute(query, [...params], options);
      rows.push(...result.rows);
      if (!result.pageState) return rows;
      pageState = result.pageState;
    }
  }

  /** Runs `work` after all earlier calls for the shard, whether they succeeded or not. */
  #inTurn<Result>(shard: number, work: (known: Shard) => Promise<Result>): Promise<Result> {
    const known = this.#shards.get(shard);
    if (known === undefined) return Promise.reject(new Error(`timers of shard ${shard} were not opened`));
    const result = known.turn.then(() => work(known));
    known.turn = result.catch(() => {});
    return result;
  }
}

interface Write {
  readonly minute: number;
  readonly query: string;
  readonly params: readonly unknown[];
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / minuteMs);
}
