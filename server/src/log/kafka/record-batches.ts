/**
 * Reads Kafka's record batches (format 2) in place and hands out where each record's value lies: no object per record.
 * Checksums are verified. Layout: https://kafka.apache.org/documentation/#recordbatch
 */
import { compressionsAlgorithmsByBitmask, crc32c } from '@platformatic/kafka';
import { CarillonError } from '../../base/carillon-error.ts';

/** `start` < 0: the record has no value. */
export type VisitValue = (offset: number, bytes: Buffer, start: number, end: number) => void;

const headerBytes = 61;
const lengthAt = 8;
const magicAt = 16;
const crcAt = 17;
const attributesAt = 21;
const lastDeltaAt = 23;
const countAt = 57;
const compressionBits = 7;
const controlBit = 0x20;

/** Visits every record from offset `from` on. Answers where to read on: behind the last whole batch, at least `from`. */
export function visitRecords(bytes: Buffer, from: number, visit: VisitValue): number {
  let next = from;
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const end = at + lengthAt + 4 + bytes.readInt32BE(at + lengthAt);
    if (end > bytes.length) break;
    const base = readOffset(bytes, at);
    const batchNext = base + bytes.readInt32BE(at + lastDeltaAt) + 1;
    // A batch may begin before the offset that was asked for, and one that ends before it may come along.
    if (batchNext > from) {
      checkBatch(bytes, at, end, base);
      visitBatch(bytes.subarray(at, end), base, from, visit);
      next = batchNext;
    }
    at = end;
  }
  return next;
}

function checkBatch(bytes: Buffer, at: number, end: number, offset: number): void {
  if (bytes[at + magicAt] !== 2) throw damaged(offset, 'is of an unknown format');
  if (crc32c(bytes.subarray(at + attributesAt, end)) >>> 0 !== bytes.readUInt32BE(at + crcAt)) {
    throw damaged(offset, 'is damaged');
  }
}

function visitBatch(batch: Buffer, base: number, from: number, visit: VisitValue): void {
  const attributes = batch.readInt16BE(attributesAt);
  if ((attributes & controlBit) !== 0) return;
  const count = batch.readInt32BE(countAt);
  const cursor = new VarIntCursor(records(batch, attributes & compressionBits));
  for (let left = count; left > 0; left--) {
    const length = cursor.next();
    const end = cursor.at + length;
    cursor.at++; // attributes
    cursor.skip(); // timestamp
    const offset = base + cursor.next();
    const keyBytes = cursor.next();
    if (keyBytes > 0) cursor.at += keyBytes;
    const valueBytes = cursor.next();
    if (offset >= from)
      visit(offset, cursor.bytes, valueBytes < 0 ? -1 : cursor.at, cursor.at + Math.max(0, valueBytes));
    cursor.at = end;
  }
}

function records(batch: Buffer, compression: number): Buffer {
  const packed = batch.subarray(headerBytes);
  if (compression === 0) return packed;
  const algorithm = compressionsAlgorithmsByBitmask[compression as keyof typeof compressionsAlgorithmsByBitmask];
  if (algorithm === undefined) throw damaged(readOffset(batch, 0), 'is compressed in an unknown way');
  return algorithm.decompressSync(packed);
}

class VarIntCursor {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** A zigzag number of up to 32 bits. */
  next(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
  }

  skip(): void {
    while ((this.bytes[this.at++] as number) >= 0x80);
  }
}

/** 64 bits, of which an offset uses fewer than 53. */
function readOffset(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 4294967296 + bytes.readUInt32BE(at + 4);
}

function damaged(offset: number, what: string): CarillonError {
  return new CarillonError('CARILLON_INTERNAL', `The batch of the event log at position ${offset} ${what}.`);
}
