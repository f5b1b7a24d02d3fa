/** The answer to a batch, written as bytes: ids are copied as they came, so an accepted event costs no object (E2). */
import { lanes } from '@carillon/contract/lanes.ts';
import type { CarillonError } from '../base/carillon-error.ts';
import type { AppendStatus } from '../log/event-log.ts';

const open = Buffer.from('{"results":[');
const close = Buffer.from(']}');
const beforeId = Buffer.from('{"id":"');
const tails: Readonly<Record<AppendStatus, Buffer>> = {
  accepted: Buffer.from('","status":"accepted"}'),
  duplicate: Buffer.from('","status":"duplicate"}'),
};

/** Numbers of events; `accepted` and `duplicates` by lane, in the order of `lanes`. */
export interface EventOutcomes {
  readonly accepted: readonly number[];
  readonly duplicates: readonly number[];
  readonly rejected: number;
}

/** Records of one event: those of the batch from `first` to `behind`, all in one lane. */
export interface EventRecords {
  readonly first: number;
  readonly behind: number;
  /** Index in `lanes`. */
  readonly lane: number;
}

/** Numbers kept per event. */
const placeWidth = 5;

/** Collects one result per event, in order. */
export class EventResults {
  /** Per event: start and end of its id, first record, the one behind its last, lane; all 0 for a rejected one. */
  readonly #places: Int32Array;
  readonly #sources: (Buffer | null)[] = [];
  readonly #body: Buffer;
  readonly #rejected = new Map<number, Buffer>();
  #count = 0;

  constructor(body: Buffer, events: number) {
    this.#body = body;
    this.#places = new Int32Array(placeWidth * events);
  }

  get count(): number {
    return this.#count;
  }

  /** How many were packed. */
  get packedCount(): number {
    return this.#count - this.#rejected.size;
  }

  /** How many events had each outcome, given the statuses of all records of the batch. */
  outcomes(statuses: readonly AppendStatus[]): EventOutcomes {
    const accepted = lanes.map(() => 0);
    const duplicates = lanes.map(() => 0);
    for (let event = 0; event < this.#count; event++) {
      if (this.#rejected.has(event)) continue;
      const counts = this.#statusOf(event, statuses) === 'accepted' ? accepted : duplicates;
      const lane = this.#places[placeWidth * event + 4] as number;
      counts[lane] = (counts[lane] as number) + 1;
    }
    return { accepted, duplicates, rejected: this.#rejected.size };
  }

  /** The event just packed; its id lies at [start, end) of `source`. */
  packed(source: Buffer, id: { start: number; end: number }, records: EventRecords): void {
    const at = placeWidth * this.#count;
    this.#places[at] = id.start;
    this.#places[at + 1] = id.end;
    this.#places[at + 2] = records.first;
    this.#places[at + 3] = records.behind;
    this.#places[at + 4] = records.lane;
    if (source !== this.#body) this.#sources[this.#count] = source;
    this.#count++;
  }

  rejected(id: string | null, error: CarillonError): void {
    const field = error.fields[0];
    const { code } = error;
    const result = {
      id,
      status: 'rejected',
      error: { code, path: field?.path ?? '', detail: field?.detail ?? error.message },
    };
    this.#rejected.set(this.#count++, Buffer.from(JSON.stringify(result)));
  }

  /** The whole answer, given the statuses of all records of the batch. */
  toJson(statuses: readonly AppendStatus[]): Buffer {
    const answer = Buffer.allocUnsafe(this.#bytesMax());
    let at = open.copy(answer);
    for (let event = 0; event < this.#count; event++) {
      if (event > 0) answer[at++] = 0x2c;
      const rejected = this.#rejected.get(event);
      at += rejected ? rejected.copy(answer, at) : this.#writePacked(answer, at, event, statuses);
    }
    at += close.copy(answer, at);
    return answer.subarray(0, at);
  }

  #writePacked(answer: Buffer, start: number, event: number, statuses: readonly AppendStatus[]): number {
    const source = this.#sources[event] ?? this.#body;
    const place = placeWidth * event;
    let at = start + beforeId.copy(answer, start);
    at += source.copy(answer, at, this.#places[place], this.#places[place + 1]);
    const status = this.#statusOf(event, statuses);
    at += tails[status].copy(answer, at);
    return at - start;
  }

  /** An event is a duplicate where all its records are: part of one may have been lost with a crash between shards. */
  #statusOf(event: number, statuses: readonly AppendStatus[]): AppendStatus {
    const behind = this.#places[placeWidth * event + 3] as number;
    for (let record = this.#places[placeWidth * event + 2] as number; record < behind; record++) {
      if (statuses[record] === 'accepted') return 'accepted';
    }
    return 'duplicate';
  }

  #bytesMax(): number {
    let bytes = open.length + close.length;
    for (let event = 0; event < this.#count; event++) {
      const id = (this.#places[placeWidth * event + 1] as number) - (this.#places[placeWidth * event] as number);
      bytes += this.#rejected.get(event)?.length ?? beforeId.length + id + tails.duplicate.length;
    }
    return bytes + this.#count;
  }
}
