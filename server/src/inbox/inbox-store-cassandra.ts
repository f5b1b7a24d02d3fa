/**
 * The inbox store in Cassandra, or ScyllaDB, for the cluster engine. Tables: `cluster/cassandra-schema.ts`.
 *
 * Atomicity: a person is a partition, a person's part of a write is one mutation. Positions come last: what a failure
 *   leaves out is done again from the log, and nothing is skipped.
 * Order: cells carry revisions as timestamps (`cassandra/inbox-statements.ts`), so that an outdated owner's late write
 *   loses whenever it arrives. Positions carry the time at which their writer took the shard over, and then count up:
 *   the last owner's stand, also where an outdated one had come further.
 * Nothing is read before it is written. Rows lie by id and are ordered when read (`cassandra/list-window.ts`); what is
 *   read of one person, up to `storePageRows`, is read by one query, and so meets whole writes only.
 * Rows have a time to live well past retention, which removes them earlier: it is for what retention never meets.
 */
import type { Client, types } from 'cassandra-driver';
import type { Clock } from '../base/clock.ts';
import { type NotificationId, type PersonKey, personKey, type Revision, splitPersonKey } from '../base/ids.ts';
import { InFlight } from '../base/in-flight.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import { ttlSeconds } from '../base/ttl-seconds.ts';
import type { Position } from '../log/event-log.ts';
import { deepRevisionOf, type Facts, hasItemMarks, itemMarksOf, throughOf } from './cassandra/facts-codec.ts';
import * as statements from './cassandra/inbox-statements.ts';
import { greatestIdBehind, idsEnd, type ListOptions, ListWindow } from './cassandra/list-window.ts';
import type { InboxStore, MarksPatch, PersonHead, StoredRow } from './inbox-store.ts';
import type { Item, Marks, Member, PersonWrite, Place } from './item.ts';
import { decodeItem } from './item-codec.ts';
import { decodeMembers, mergeDeltas } from './member-codec.ts';

export interface InboxStoreCassandraParts {
  /** Connected to the keyspace; stays the caller's to close. */
  readonly client: Client;
  readonly clock: Clock;
  readonly retentionMs?: number;
}

interface Row {
  readonly tenant: string;
  readonly user: string;
  readonly id: string;
  readonly item: string | null;
  readonly facts: Facts;
}

const newest = 'SELECT id, item, facts FROM inbox WHERE tenant = ? AND user = ? AND id <= ? LIMIT ?';
const range = 'SELECT id, item, facts FROM inbox WHERE tenant = ? AND user = ? AND id <= ? AND id >= ?';
const one = 'SELECT item, facts FROM inbox WHERE tenant = ? AND user = ? AND id = ?';
const idsOnly = 'SELECT id FROM inbox WHERE tenant = ? AND user = ? AND id <= ? LIMIT ?';
const factsOnly = 'SELECT id, facts FROM inbox WHERE tenant = ? AND user = ? AND id <= ?';
const deltas = 'SELECT revision, members FROM inbox_members WHERE tenant = ? AND user = ? AND id = ?';
const firstPeople = 'SELECT tenant, user, id FROM inbox PER PARTITION LIMIT 3 LIMIT ?';
const nextPeople =
  'SELECT tenant, user, id FROM inbox WHERE token(tenant, user) > token(?, ?) PER PARTITION LIMIT 3 LIMIT ?';
const getPositions = 'SELECT positions, writetime(positions) AS written FROM shard_positions WHERE shard = ?';
const putPositions = 'UPDATE shard_positions USING TIMESTAMP ? SET positions = ? WHERE shard = ?';

/** By how much a new owner's positions are ahead of the last ones seen, in revisions: what was on its way loses. */
const takeOverStep: Revision = 4096 * 1000;

export class InboxStoreCassandra implements InboxStore {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #retentionMs: number;
  readonly #writes = new InFlight(limits.storeWritesInFlightMax);
  readonly #reads = new InFlight(limits.storeReadsInFlightMax);
  /** Timestamp of the last positions of each shard that this process has taken over. */
  readonly #positionTimes = new Map<number, Revision>();

  constructor({ client, clock, retentionMs = limits.retentionMs }: InboxStoreCassandraParts) {
    this.#client = client;
    this.#clock = clock;
    this.#retentionMs = retentionMs;
  }

  async positions(shard: number): Promise<readonly Position[] | null> {
    const [row] = await this.#select(getPositions, [shard], 1);
    const written = (row?.written as types.Long | null | undefined)?.toNumber() ?? 0;
    this.#positionTimes.set(shard, nextRevision(written + takeOverStep, this.#clock.now()));
    return row === undefined ? null : (JSON.parse(row.positions as string) as Position[]);
  }

  async write(shard: number, people: readonly PersonWrite[], positions: readonly Position[]): Promise<void> {
    const lifetimes = this.#lifetimes();
    const writes = people.map((change) => this.#apply(() => statements.writeStatements(change, lifetimes)));
    // All have ended before a failure is told, so that none overtakes its own repetition.
    for (const result of await Promise.allSettled(writes)) if (result.status === 'rejected') throw result.reason;
    if (!this.#positionTimes.has(shard)) await this.positions(shard);
    const time = (this.#positionTimes.get(shard) as Revision) + 1;
    this.#positionTimes.set(shard, time);
    await this.#apply(() => [{ query: putPositions, params: [time, JSON.stringify(positions), shard] }]);
  }

  async head(person: PersonKey, rowsMax: number): Promise<PersonHead> {
    const list: ListOptions = { part: 'items', after: null };
    const { rows, window } = await this.#read(person, rowsMax, list, statements.personId);
    const facts = rows[0]?.id === statements.personId ? rows[0].facts : null;
    return {
      items: window.first(rowsMax).map((row) => (row as StoredRow & { kind: 'item' }).item),
      complete: window.isWhole && window.size <= rowsMax,
      marks: { ...throughOf(facts), items: itemMarksOf(rows.filter(({ id }) => id !== statements.personId)) },
      deepRevision: deepRevisionOf(facts),
      ...(facts?.notes === undefined ? {} : { notes: facts.notes }),
    };
  }

  async rows(person: PersonKey, after: Place | null, rowsMax: number): Promise<readonly StoredRow[]> {
    const from = after === null ? idsEnd : greatestIdBehind(after);
    const { window } = await this.#read(person, rowsMax, { part: 'places', after }, from);
    return window.first(rowsMax);
  }

  async item(person: PersonKey, id: NotificationId): Promise<Item | null> {
    const [row] = await this.#select(one, [...partition(person), id], 1);
    const text = row?.item as string | null | undefined;
    return text === null || text === undefined ? null : decodeItem(text);
  }

  async members(person: PersonKey, id: NotificationId): Promise<readonly Member[]> {
    const rows = await this.#select(deltas, [...partition(person), id], limits.storePageRows);
    const texts = rows.map((row) => decodeMembers(row.members as string));
    if (rows.length > limits.memberDeltasMax) {
      const last = rows.at(-1) as types.Row;
      const lastRevision = (last.revision as types.Long).toNumber();
      const joined = { members: mergeDeltas(texts), lastRevision };
      const join = () => statements.joinStatements(person, id, joined, this.#lifetimes());
      // Only makes later reads cheaper: a store that takes no writes must not keep anyone from reading.
      await this.#apply(join).catch(() => {});
    }
    const item = await this.item(person, id);
    return mergeDeltas([item?.opening ?? [], ...texts]);
  }

  async dropped(person: PersonKey): Promise<readonly string[]> {
    const [row] = await this.#select(one, [...partition(person), statements.droppedId], 1);
    return Object.values((row?.facts as Facts | undefined) ?? {});
  }

  async marks(person: PersonKey): Promise<Marks> {
    const [row] = await this.#select(one, [...partition(person), statements.personId], 1);
    const facts = (row?.facts ?? null) as Facts;
    if (!hasItemMarks(facts)) return { ...throughOf(facts), items: new Map() };
    const rows = await this.#select(factsOnly, [...partition(person), idsEnd], limits.storePageRows);
    return { ...throughOf(facts), items: itemMarksOf(rows as unknown as Row[]) };
  }

  async mergeMarks(person: PersonKey, patch: MarksPatch): Promise<Marks> {
    await this.#apply(() => statements.marksStatements(person, patch));
    return this.marks(person);
  }

  async people(after: PersonKey | null, max: number): Promise<readonly PersonKey[]> {
    const people: PersonKey[] = [];
    for (let last = after; people.length < max; ) {
      const rowsMax = 3 * max + 1;
      const [query, params] = last === null ? [firstPeople, []] : [nextPeople, partition(last)];
      const rows = await this.#rows(query, [...params, rowsMax], rowsMax);
      const isCut = rows.length === rowsMax;
      // Of each person come dropped events and facts, where there are any, and the newest row, where there is one.
      for (const { tenant, user, id } of isCut ? withoutLastPerson(rows) : rows) {
        last = personKey(tenant, user);
        if (id < statements.personId && people.at(-1) !== last) people.push(last);
      }
      if (!isCut) break;
    }
    return people.slice(0, max);
  }

  async placeAt(person: PersonKey, rank: number): Promise<Place | null> {
    // Far down there is rarely a row, and ids alone tell.
    if (rank > limits.changesMax) {
      const ids = await this.#select(idsOnly, [...partition(person), idsEnd, rank + 1], rank + 1);
      if (ids.length <= rank) return null;
    }
    const { window } = await this.#read(person, rank + 1, { part: 'items', after: null }, idsEnd);
    const row = window.first(rank + 1)[rank];
    if (row?.kind !== 'item') return null;
    return { activityAtMs: row.item.activityAtMs, id: row.item.id };
  }

  async remove(person: PersonKey, items: readonly Item[], revision: Revision): Promise<void> {
    await this.#apply(() => statements.removeStatements(person, items, revision));
  }

  async erase(person: PersonKey, revision: Revision): Promise<void> {
    await this.#apply(() => statements.eraseStatements(person, revision));
  }

  async close(): Promise<void> {}

  /** Reads from the greatest id down until the first `count` of the list are sure. */
  async #read(person: PersonKey, count: number, list: ListOptions, greatestId: string) {
    for (let rowsMax = count + limits.headSpareRows; ; rowsMax *= 4) {
      const rows = await this.#rows(newest, [...partition(person), greatestId, rowsMax], rowsMax);
      const window = new ListWindow(rows, rows.length < rowsMax ? null : (rows.at(-1)?.id ?? ''), list);
      if (window.isSure(count)) return { rows, window };
      if (window.size < count) continue;
      const leastId = window.leastIdFor(count);
      const all = await this.#rows(range, [...partition(person), greatestId, leastId], limits.storePageRows);
      return { rows: all, window: new ListWindow(all, leastId, list) };
    }
  }

  async #rows(query: string, params: readonly unknown[], pageRows: number): Promise<readonly Row[]> {
    return (await this.#select(query, params, pageRows)) as unknown as readonly Row[];
  }

  async #select(query: string, params: readonly unknown[], pageRows: number): Promise<types.Row[]> {
    const rows: types.Row[] = [];
    for (let pageState: string | undefined; ; ) {
      const options = { prepare: true, isIdempotent: true, fetchSize: pageRows, ...(pageState ? { pageState } : {}) };
      const result = await this.#reads.run(() => this.#client.execute(query, [...params], options));
      if (!result.pageState) return rows.length === 0 ? result.rows : rows.concat(result.rows);
      rows.push(...result.rows);
      pageState = result.pageState;
    }
  }

  /** One mutation. */
  #apply(build: () => readonly statements.Statement[]): Promise<unknown> {
    return this.#writes.run(async () => {
      const all = build();
      const [first] = all;
      if (first === undefined) return;
      const options = { prepare: true, isIdempotent: true, logged: false };
      if (all.length === 1) await this.#client.execute(first.query, [...first.params], options);
      else await this.#client.batch(all as { query: string; params: unknown[] }[], options);
    });
  }

  #lifetimes(): statements.Lifetimes {
    const nowMs = this.#clock.now();
    const spareMs = limits.rowExpiryGraceMs;
    return {
      row: (acceptedAtMs) => ttlSeconds(acceptedAtMs + this.#retentionMs, nowMs, spareMs),
      members: ttlSeconds(nowMs + this.#retentionMs, nowMs, spareMs),
    };
  }
}

function partition(person: PersonKey): [tenant: string, user: string] {
  const { tenant, user } = splitPersonKey(person);
  return [tenant, user];
}

/** Whoever comes last may have more rows than were answered. */
function withoutLastPerson(rows: readonly Row[]): readonly Row[] {
  const last = rows.at(-1);
  return rows.filter(({ tenant, user }) => tenant !== last?.tenant || user !== last.user);
}
