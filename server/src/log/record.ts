/**
 * One event as it lies in the log: a fixed header, then the event's JSON bytes as validated, then tenant and recipients.
 * Written once at the edge, read by offset ever after: no later stage parses the whole event again.
 *
 * Layout, little endian (version 1):
 *
 *     0  u32  bytes in all        12  u32  bytes of event JSON     32  f64  seq (NaN: none)
 *     4  u8   version             16  f64  event time, ms          40  f64  fingerprint of (tenant, source, id)
 *     5  u8   lane                24  f64  accepted at, ms         48  12 × (u16 offset, u16 length) into the event JSON
 *     6  u16  shard                8  u16  flags                   96  event JSON
 *     10 u16  recipients                                           then u16 length + tenant, then each u16 length + user
 *
 * A range of length 0 means the field is absent. String ranges lie inside their quotes; object ranges include the braces.
 */
import type { Lane } from '@carillon/contract/lanes.ts';
import { lanes } from '@carillon/contract/lanes.ts';

export const recordVersion = 1;
export const recordHeaderBytes = 96;

/** Order of the ranges in the header. */
export const recordFields = [
  'source',
  'id',
  'type',
  'actor',
  'actorId',
  'object',
  'objectKind',
  'objectId',
  'objectOwner',
  'parentKind',
  'parentId',
  'data',
] as const;

export type RecordField = (typeof recordFields)[number];

export const recordFlags = { escapedStrings: 1 } as const;

/** Whole records one behind the other, as they travel between threads and rooms. */
export interface PackedBatch {
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** What the writer needs beside the event's bytes. Offsets and lengths are in bytes from the start of `event`. */
export interface RecordInput {
  readonly lane: Lane;
  readonly shard: number;
  readonly timeMs: number;
  readonly acceptedMs: number;
  readonly seq: number | null;
  readonly fingerprint: number;
  /** Some string range holds a JSON escape, so it must be decoded with care. */
  readonly escaped: boolean;
  readonly tenant: string;
  readonly recipients: readonly string[];
  /** The buffer that holds the event's JSON at [start, end). */
  readonly source: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** 24 numbers: offset and length of each of `recordFields`, relative to `start`. */
  readonly ranges: ArrayLike<number>;
}

/** Packs records into one growing buffer; `take` hands the buffer over and starts a new one. */
export class RecordWriter {
  #buffer: Buffer;
  #used = 0;
  #count = 0;

  constructor(initialBytes: number = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
  }

  get bytes(): number {
    return this.#used;
  }

  get count(): number {
    return this.#count;
  }

  add(input: RecordInput): void {
    const eventBytes = input.end - input.start;
    let tailBytes = 2 + Buffer.byteLength(input.tenant);
    for (const user of input.recipients) tailBytes += 2 + Buffer.byteLength(user);
    const length = recordHeaderBytes + eventBytes + tailBytes;
    this.#reserve(length);
    const buffer = this.#buffer;
    const at = this.#used;
    this.#header(at, length, eventBytes, input);
    buffer.set(input.source.subarray(input.start, input.end), at + recordHeaderBytes);
    let tail = at + recordHeaderBytes + eventBytes;
    tail = writeShortText(buffer, tail, input.tenant);
    for (const user of input.recipients) tail = writeShortText(buffer, tail, user);
    this.#used = at + length;
    this.#count++;
  }

  /** All records so far, in a buffer of their own that may be transferred. */
  take(): PackedBatch {
    const batch = { bytes: this.#buffer.subarray(0, this.#used), count: this.#count };
    this.#buffer = Buffer.allocUnsafeSlow(64 * 1024);
    this.#used = 0;
    this.#count = 0;
    return batch;
  }

  #header(at: number, length: number, eventBytes: number, input: RecordInput): void {
    const buffer = this.#buffer;
    buffer.writeUInt32LE(length, at);
    buffer[at + 4] = recordVersion;
    buffer[at + 5] = lanes.indexOf(input.lane);
    buffer.writeUInt16LE(input.shard, at + 6);
    buffer.writeUInt16LE(input.escaped ? recordFlags.escapedStrings : 0, at + 8);
    buffer.writeUInt16LE(input.recipients.length, at + 10);
    buffer.writeUInt32LE(eventBytes, at + 12);
    buffer.writeDoubleLE(input.timeMs, at + 16);
    buffer.writeDoubleLE(input.acceptedMs, at + 24);
    buffer.writeDoubleLE(input.seq ?? Number.NaN, at + 32);
    buffer.writeDoubleLE(input.fingerprint, at + 40);
    for (let field = 0; field < recordFields.length * 2; field++) {
      buffer.writeUInt16LE(input.ranges[field] ?? 0, at + 48 + field * 2);
    }
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#used + bytes));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }
}

/** Reads one record in place. The same view is moved from record to record: keep no reference to it across a move. */
export class RecordView {
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;

  /** Points the view at the record that starts at `offset`. Answers the offset behind it. */
  move(buffer: Buffer, offset: number): number {
    this.#buffer = buffer;
    this.#at = offset;
    return offset + buffer.readUInt32LE(offset);
  }

  get version(): number {
    return this.#buffer[this.#at + 4] as number;
  }

  get lane(): Lane {
    return lanes[this.#buffer[this.#at + 5] as number] as Lane;
  }

  get shard(): number {
    return this.#buffer.readUInt16LE(this.#at + 6);
  }

  get timeMs(): number {
    return this.#buffer.readDoubleLE(this.#at + 16);
  }

  get acceptedMs(): number {
    return this.#buffer.readDoubleLE(this.#at + 24);
  }

  get seq(): number | null {
    const seq = this.#buffer.readDoubleLE(this.#at + 32);
    return Number.isNaN(seq) ? null : seq;
  }

  get fingerprint(): number {
    return this.#buffer.readDoubleLE(this.#at + 40);
  }

  has(field: RecordField): boolean {
    return this.#length(field) > 0;
  }

  /** A string field, decoded; empty where absent. */
  text(field: RecordField): string {
    const length = this.#length(field);
    if (length === 0) return '';
    const start = this.#start(field);
    const raw = this.#buffer.toString('utf8', start, start + length);
    const escaped = (this.#buffer.readUInt16LE(this.#at + 8) & recordFlags.escapedStrings) !== 0;
    return escaped && raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  /** The JSON text of an object field (`actor`, `object`, `data`); empty where absent. */
  json(field: RecordField): string {
    const start = this.#start(field);
    return this.#buffer.toString('utf8', start, start + this.#length(field));
  }

  /** The event's whole JSON text. */
  event(): string {
    const start = this.#at + recordHeaderBytes;
    return this.#buffer.toString('utf8', start, start + this.#buffer.readUInt32LE(this.#at + 12));
  }

  get tenant(): string {
    const at = this.#tail();
    return this.#buffer.toString('utf8', at + 2, at + 2 + this.#buffer.readUInt16LE(at));
  }

  recipients(): string[] {
    const buffer = this.#buffer;
    let at = this.#tail();
    at += 2 + buffer.readUInt16LE(at);
    const users: string[] = [];
    for (let left = buffer.readUInt16LE(this.#at + 10); left > 0; left--) {
      const length = buffer.readUInt16LE(at);
      users.push(buffer.toString('utf8', at + 2, at + 2 + length));
      at += 2 + length;
    }
    return users;
  }

  #tail(): number {
    return this.#at + recordHeaderBytes + this.#buffer.readUInt32LE(this.#at + 12);
  }

  #start(field: RecordField): number {
    return this.#at + recordHeaderBytes + this.#buffer.readUInt16LE(this.#at + 48 + recordFields.indexOf(field) * 4);
  }

  #length(field: RecordField): number {
    return this.#buffer.readUInt16LE(this.#at + 50 + recordFields.indexOf(field) * 4);
  }
}

function writeShortText(buffer: Buffer, at: number, text: string): number {
  const length = buffer.write(text, at + 2);
  buffer.writeUInt16LE(length, at);
  return at + 2 + length;
}
