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

export const recordFlags = { escapedStrings: 1, toAudience: 2, hasPart: 4, askedForPush: 8, merged: 16 } as const;

/** Where in the header each field's range lies: looked up, not searched, for every read of a field. */
const rangeOffsets = Object.fromEntries(recordFields.map((field, at) => [field, 48 + at * 4])) as Record<
  RecordField,
  number
>;
const laneNumbers = Object.fromEntries(lanes.map((lane, at) => [lane, at])) as Record<Lane, number>;
const batchBytesMin = 4 * 1024;
const u16Max = 65_535;

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
  /** For an audience, which is resolved later; it has no recipients then. */
  readonly toAudience?: boolean;
  /** Which part of its event's people this record holds, as a part of its identity; absent where it holds all of a shard. */
  readonly part?: string;
  /** Its people asked to be pushed for what their audience hears (F3). */
  readonly askedForPush?: boolean;
  /** Its people get it when they open their inbox: nothing more is told (F3). */
  readonly merged?: boolean;
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
  #view: DataView;
  #used = 0;
  #count = 0;

  constructor(initialBytes: number = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
    this.#view = viewOf(this.#buffer);
  }

  get bytes(): number {
    return this.#used;
  }

  get count(): number {
    return this.#count;
  }

  /** Throws a RangeError, and adds nothing, when a range, a name or the number of recipients passes 65,535. */
  add(input: RecordInput): void {
    const eventBytes = input.end - input.start;
    let tailBytes = 2 + shortTextBytes(input.tenant);
    for (const user of input.recipients) tailBytes += 2 + shortTextBytes(user);
    if (input.part !== undefined) tailBytes += 2 + shortTextBytes(input.part);
    if (input.recipients.length > u16Max) throw new RangeError('A record has too many recipients.');
    const length = recordHeaderBytes + eventBytes + tailBytes;
    this.#reserve(length);
    const at = this.#used;
    this.#header(at, length, eventBytes, input);
    const buffer = this.#buffer;
    buffer.set(input.source.subarray(input.start, input.end), at + recordHeaderBytes);
    let tail = at + recordHeaderBytes + eventBytes;
    tail = writeShortText(buffer, tail, input.tenant);
    for (const user of input.recipients) tail = writeShortText(buffer, tail, user);
    if (input.part !== undefined) writeShortText(buffer, tail, input.part);
    this.#used = at + length;
    this.#count++;
  }

  /** All records so far, in a buffer of their own that may be transferred. */
  take(): PackedBatch {
    const batch = { bytes: this.#buffer.subarray(0, this.#used), count: this.#count };
    // The next batch is likely as large as this one: neither grown step by step nor mostly empty.
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(batchBytesMin, this.#used));
    this.#view = viewOf(this.#buffer);
    this.#used = 0;
    this.#count = 0;
    return batch;
  }

  #header(at: number, length: number, eventBytes: number, input: RecordInput): void {
    const view = this.#view;
    view.setUint32(at, length, true);
    view.setUint8(at + 4, recordVersion);
    view.setUint8(at + 5, laneNumbers[input.lane]);
    view.setUint16(at + 6, input.shard, true);
    view.setUint16(at + 8, flagsOf(input), true);
    view.setUint16(at + 10, input.recipients.length, true);
    view.setUint32(at + 12, eventBytes, true);
    view.setFloat64(at + 16, input.timeMs, true);
    view.setFloat64(at + 24, input.acceptedMs, true);
    view.setFloat64(at + 32, input.seq ?? Number.NaN, true);
    view.setFloat64(at + 40, input.fingerprint, true);
    for (let word = 0; word < recordFields.length * 2; word++) {
      const value = input.ranges[word] ?? 0;
      // A DataView would wrap it silently, and the record would be read wrong for ever.
      if (value > u16Max) throw new RangeError('A range of a record lies beyond its 65,535th byte.');
      view.setUint16(at + 48 + word * 2, value, true);
    }
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#used + bytes));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
    this.#view = viewOf(larger);
  }
}

/** What Node's buffers have and their types leave out: `toString` without its checks, which cost more than short texts. */
interface Sliceable {
  utf8Slice(start: number, end: number): string;
}

/** Reads one record in place. The same view is moved from record to record: keep no reference to it across a move. */
export class RecordView {
  #buffer: Buffer = Buffer.alloc(0);
  #view: DataView = viewOf(this.#buffer);
  #at = 0;

  /** Points the view at the record that starts at `offset`. Answers the offset behind it. */
  move(buffer: Buffer, offset: number): number {
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#view = viewOf(buffer);
    }
    this.#at = offset;
    return offset + this.#view.getUint32(offset, true);
  }

  get version(): number {
    return this.#view.getUint8(this.#at + 4);
  }

  get lane(): Lane {
    return lanes[this.#view.getUint8(this.#at + 5)] as Lane;
  }

  get shard(): number {
    return this.#view.getUint16(this.#at + 6, true);
  }

  get timeMs(): number {
    return this.#view.getFloat64(this.#at + 16, true);
  }

  get acceptedMs(): number {
    return this.#view.getFloat64(this.#at + 24, true);
  }

  get seq(): number | null {
    const seq = this.#view.getFloat64(this.#at + 32, true);
    return Number.isNaN(seq) ? null : seq;
  }

  get fingerprint(): number {
    return this.#view.getFloat64(this.#at + 40, true);
  }

  /** Some string range holds a JSON escape. */
  get isEscaped(): boolean {
    return this.#hasFlag(recordFlags.escapedStrings);
  }

  /** Its people are those of an audience, which the event names. */
  get isToAudience(): boolean {
    return this.#hasFlag(recordFlags.toAudience);
  }

  get isAskedForPush(): boolean {
    return this.#hasFlag(recordFlags.askedForPush);
  }

  get isMerged(): boolean {
    return this.#hasFlag(recordFlags.merged);
  }

  /** Empty where the record holds all of its event's people in its shard. */
  get part(): string {
    if (!this.#hasFlag(recordFlags.hasPart)) return '';
    const view = this.#view;
    let at = this.#tail();
    for (let left = this.recipientCount; left >= 0; left--) at += 2 + view.getUint16(at, true);
    return this.#text(at + 2, at + 2 + view.getUint16(at, true));
  }

  /** A copy of the whole record, which stays when the view moves on. */
  copy(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#at, this.#at + this.#view.getUint32(this.#at, true)));
  }

  has(field: RecordField): boolean {
    return this.#length(field) > 0;
  }

  /** A string field, decoded; empty where absent. */
  text(field: RecordField): string {
    const length = this.#length(field);
    if (length === 0) return '';
    const start = this.#start(field);
    const raw = this.#text(start, start + length);
    return this.isEscaped && raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  /** The JSON text of an object field (`actor`, `object`, `data`); empty where absent. */
  json(field: RecordField): string {
    const start = this.#start(field);
    return this.#text(start, start + this.#length(field));
  }

  /** The event's whole JSON text. */
  event(): string {
    const start = this.#at + recordHeaderBytes;
    return this.#text(start, start + this.#view.getUint32(this.#at + 12, true));
  }

  get tenant(): string {
    const at = this.#tail();
    return this.#text(at + 2, at + 2 + this.#view.getUint16(at, true));
  }

  get recipientCount(): number {
    return this.#view.getUint16(this.#at + 10, true);
  }

  recipients(): string[] {
    const view = this.#view;
    let at = this.#tail();
    at += 2 + view.getUint16(at, true);
    const users: string[] = [];
    for (let left = this.recipientCount; left > 0; left--) {
      const length = view.getUint16(at, true);
      users.push(this.#text(at + 2, at + 2 + length));
      at += 2 + length;
    }
    return users;
  }

  #hasFlag(flag: number): boolean {
    return (this.#view.getUint16(this.#at + 8, true) & flag) !== 0;
  }

  #text(start: number, end: number): string {
    return (this.#buffer as Buffer & Sliceable).utf8Slice(start, end);
  }

  #tail(): number {
    return this.#at + recordHeaderBytes + this.#view.getUint32(this.#at + 12, true);
  }

  #start(field: RecordField): number {
    return this.#at + recordHeaderBytes + this.#view.getUint16(this.#at + rangeOffsets[field], true);
  }

  #length(field: RecordField): number {
    return this.#view.getUint16(this.#at + rangeOffsets[field] + 2, true);
  }
}

function flagsOf({ escaped, toAudience, part, askedForPush, merged }: RecordInput): number {
  return (
    (escaped ? recordFlags.escapedStrings : 0) |
    (toAudience ? recordFlags.toAudience : 0) |
    (part === undefined ? 0 : recordFlags.hasPart) |
    (askedForPush ? recordFlags.askedForPush : 0) |
    (merged ? recordFlags.merged : 0)
  );
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function shortTextBytes(text: string): number {
  const bytes = Buffer.byteLength(text);
  if (bytes > u16Max) throw new RangeError('A tenant or a recipient is longer than 65,535 bytes.');
  return bytes;
}

function writeShortText(buffer: Buffer, at: number, text: string): number {
  const length = buffer.write(text, at + 2);
  buffer.writeUInt16LE(length, at);
  return at + 2 + length;
}
