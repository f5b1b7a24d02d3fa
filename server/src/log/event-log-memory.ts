/**
 * The event log in memory, for tests and the simulation. What is durable lies in a `MemoryLogState` of its own: a crash
 * drops the log object and what it had not committed, and a new one over the same state goes on from there.
 */
import type { Lane } from '@carillon/contract/lanes.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { acceptedAt } from './accepted-at.ts';
import { AppendListeners } from './append-listeners.ts';
import { checkedRecords } from './checked-records.ts';
import type { AppendStatus, AppliedPosition, EventLog, LogBatch, LogReader, Position } from './event-log.ts';
import { type PackedBatch, RecordView } from './record.ts';

interface StoredRecord {
  readonly start: Position;
  readonly end: Position;
  readonly acceptedMs: number;
  readonly identity: string;
  readonly bytes: Buffer;
}

/** What survives a crash. Give the same one to the next `EventLogMemory`. */
export class MemoryLogState {
  /** Records per `shard:lane`, in order. */
  readonly lanes = new Map<string, StoredRecord[]>();
  readonly identities = new Set<string>();
  /** Per lane: the position behind the last record that was dropped. */
  readonly gone = new Map<string, Position>();
  end: Position = 0;

  lane(key: string): StoredRecord[] {
    let records = this.lanes.get(key);
    if (records === undefined) {
      records = [];
      this.lanes.set(key, records);
    }
    return records;
  }
}

/** How the next commit is to fail; `storedAnyway` models an answer lost after the records were durable. */
export interface MemoryLogFault {
  readonly code: 'CARILLON_STORAGE_FULL' | 'CARILLON_INTERNAL';
  readonly storedAnyway?: boolean;
}

interface Waiting {
  readonly buffer: Buffer;
  readonly resolve: (statuses: AppendStatus[]) => void;
  readonly reject: (error: CarillonError) => void;
}

export class EventLogMemory implements EventLog {
  readonly state: MemoryLogState;
  readonly #listeners = new AppendListeners();
  readonly #view = new RecordView();
  #waiting: Waiting[] = [];
  #faults: MemoryLogFault[] = [];
  #scheduled = false;
  #closed = false;
  #crashed = false;

  constructor(state: MemoryLogState = new MemoryLogState()) {
    this.state = state;
  }

  /** The next commits fail, one for each fault given. */
  fail(...faults: MemoryLogFault[]): void {
    this.#faults.push(...faults);
  }

  /** As if the process died now: appends under way never answer. With `storeWaiting` they were durable by then. */
  crash(storeWaiting = false): void {
    if (storeWaiting) for (const { buffer } of this.#waiting) this.#store(buffer);
    this.#waiting = [];
    this.#crashed = true;
  }

  append(batch: PackedBatch): Promise<AppendStatus[]> {
    if (this.#crashed) return new Promise(() => {});
    if (this.#closed) return Promise.reject(new CarillonError('CARILLON_DRAINING', 'The event log is closed.'));
    return new Promise((resolve, reject) => {
      // A copy: the caller's buffer may be used again, the log's may not change.
      this.#waiting.push({ buffer: Buffer.from(checkedRecords(batch)), resolve, reject });
      this.#schedule();
    });
  }

  async open(shard: number, lane: Lane, from: Position): Promise<LogReader> {
    return new MemoryReader(this.state, `${shard}:${lane}`, from);
  }

  onAppend(shard: number, listener: () => void): () => void {
    return this.#listeners.add(shard, listener);
  }

  async positionAt(shard: number, lane: Lane, timeMs: number): Promise<Position> {
    const record = this.state.lane(`${shard}:${lane}`).find(({ acceptedMs }) => acceptedMs >= timeMs);
    return record?.start ?? this.state.end;
  }

  async acceptedAt(shard: number, lane: Lane, position: Position): Promise<number | null> {
    return acceptedAt(await this.open(shard, lane, position));
  }

  async trim(timeMs: number, applied: AppliedPosition): Promise<number> {
    let freed = 0;
    for (const [key, records] of this.state.lanes) {
      const [shard, lane] = key.split(':') as [string, Lane];
      const end = applied(Number(shard), lane);
      while (records[0] !== undefined && records[0].acceptedMs < timeMs && records[0].end <= end) {
        const record = records.shift() as StoredRecord;
        this.state.identities.delete(record.identity);
        this.state.gone.set(key, record.end);
        freed += record.bytes.length;
      }
    }
    return freed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (!this.#crashed) this.#commit();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#crashed) this.#commit();
    });
  }

  #commit(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    const fault = this.#faults.shift();
    const shards: number[] = [];
    for (const { buffer, resolve, reject } of waiting) {
      if (fault !== undefined) reject(new CarillonError(fault.code, 'The event log was told to fail.'));
      if (fault !== undefined && fault.storedAnyway !== true) continue;
      resolve(this.#store(buffer, shards));
    }
    this.#listeners.tell(shards);
  }

  #store(buffer: Buffer, shards: number[] = []): AppendStatus[] {
    const statuses: AppendStatus[] = [];
    const view = this.#view;
    for (let at = 0; at < buffer.length; ) {
      const next = view.move(buffer, at);
      const identity = JSON.stringify([view.shard, view.tenant, view.text('source'), view.text('id'), view.part]);
      const isKnown = this.state.identities.has(identity);
      statuses.push(isKnown ? 'duplicate' : 'accepted');
      if (!isKnown) {
        const bytes = buffer.subarray(at, next);
        const start = this.state.end;
        this.state.end += bytes.length;
        const record = { start, end: this.state.end, acceptedMs: view.acceptedMs, identity, bytes };
        this.state.lane(`${view.shard}:${view.lane}`).push(record);
        this.state.identities.add(identity);
        shards.push(view.shard);
      }
      at = next;
    }
    return statuses;
  }
}

class MemoryReader implements LogReader {
  readonly #state: MemoryLogState;
  readonly #key: string;
  #position: Position;

  constructor(state: MemoryLogState, key: string, from: Position) {
    this.#state = state;
    this.#key = key;
    this.#position = from === 0 ? (state.gone.get(key) ?? 0) : from;
    this.#check();
  }

  async pull(bytesMax: number): Promise<LogBatch | null> {
    this.#check();
    const taken: Buffer[] = [];
    let bytes = 0;
    let next = this.#position;
    for (const record of this.#rest()) {
      if (taken.length > 0 && bytes + record.bytes.length > bytesMax) break;
      taken.push(record.bytes);
      bytes += record.bytes.length;
      next = record.end;
    }
    if (taken.length === 0) return null;
    this.#position = next;
    return { bytes: Buffer.concat(taken), count: taken.length, next };
  }

  behindBytes(): number {
    return this.#rest().reduce((sum, record) => sum + record.bytes.length, 0);
  }

  close(): void {}

  #first(): StoredRecord | undefined {
    return this.#state.lane(this.#key)[this.#firstIndex()];
  }

  #rest(): StoredRecord[] {
    return this.#state.lane(this.#key).slice(this.#firstIndex());
  }

  #firstIndex(): number {
    const records = this.#state.lane(this.#key);
    let low = 0;
    let high = records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((records[middle] as StoredRecord).end <= this.#position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #check(): void {
    const gone = this.#state.gone.get(this.#key) ?? 0;
    const at = this.#position;
    if (at < gone) this.#refuse(`is no longer kept: records behind it were dropped; the oldest is ${gone}`);
    if (at > this.#state.end) this.#refuse(`is not valid: the log ends at ${this.#state.end}`);
    const next = this.#first();
    if (next !== undefined && next.start < at) this.#refuse('is not valid: it lies within a record');
  }

  #refuse(why: string): never {
    throw new CarillonError('CARILLON_INTERNAL', `Position ${this.#position} of the event log ${why}.`);
  }
}
