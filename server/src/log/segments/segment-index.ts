/**
 * The fingerprints of a sealed segment, in a file beside it: pairs (fingerprint, position) in the order of their hash.
 * The file only saves reading the segment again: it is written without a sync, and one that is missing, torn or of
 * another segment is rebuilt. In memory stays one hash per page of pairs, so that a look-up costs one read.
 *
 *     0  u32  magic     8  f64  base   24  u32  pairs               40  u32  damaged places of the segment
 *     4  u32  version  16  f64  end    28  u32  CRC-32 of the pairs  44  u32  CRC-32 of the 44 bytes before
 *                                      32  f64  latest accepted at   64  pairs
 */
import { crc32 } from 'node:zlib';
import { fingerprintHash } from './fingerprint-table.ts';
import type { LogFile, ReadableFile } from './log-files.ts';
import { readAll, writeAll } from './log-files.ts';

const magic = 0x58444943;
const version = 1;
const headBytes = 64;
const pairBytes = 16;
const pagePairs = 256;

export interface IndexSummary {
  readonly base: number;
  readonly end: number;
  readonly acceptedMaxMs: number;
  /** Places of the segment that could not be read when it was scanned. */
  readonly holes: number;
}

export class SegmentIndex {
  readonly summary: IndexSummary;
  readonly count: number;
  readonly #pageHashes: Uint32Array;
  /** The pairs themselves until they are in a file. */
  #pairs: Float64Array | null;

  constructor(summary: IndexSummary, pairs: Float64Array, saved: boolean) {
    this.summary = summary;
    this.count = pairs.length / 2;
    this.#pairs = saved ? null : pairs;
    this.#pageHashes = new Uint32Array(Math.ceil(this.count / pagePairs));
    for (let page = 0; page < this.#pageHashes.length; page++) {
      this.#pageHashes[page] = fingerprintHash(pairs[page * pagePairs * 2] as number);
    }
  }

  get saved(): boolean {
    return this.#pairs === null;
  }

  /** Writes the file and gives up the memory. On an error the index goes on from memory. */
  save(file: LogFile): void {
    if (this.#pairs === null) return;
    const pairs = Buffer.from(this.#pairs.buffer, this.#pairs.byteOffset, this.#pairs.byteLength);
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(magic, 0);
    head.writeUInt32LE(version, 4);
    head.writeDoubleLE(this.summary.base, 8);
    head.writeDoubleLE(this.summary.end, 16);
    head.writeUInt32LE(this.count, 24);
    head.writeUInt32LE(crc32(pairs), 28);
    head.writeDoubleLE(this.summary.acceptedMaxMs, 32);
    head.writeUInt32LE(this.summary.holes, 40);
    head.writeUInt32LE(crc32(head.subarray(0, 44)), 44);
    writeAll(file, pairs, headBytes);
    writeAll(file, head, 0);
    this.#pairs = null;
  }

  /** Positions stored for the fingerprint. `file` is read only where it must be. */
  find(fingerprint: number, file: ReadableFile): number[] {
    const found: number[] = [];
    const hash = fingerprintHash(fingerprint);
    for (let page = this.#firstPage(hash); page < this.#pageHashes.length; page++) {
      if ((this.#pageHashes[page] as number) > hash) break;
      const pairs = this.#page(page, file);
      for (let at = 0; at < pairs.length; at += 2) {
        if (pairs[at] === fingerprint) found.push(pairs[at + 1] as number);
      }
    }
    return found;
  }

  /** The last page that begins below the hash: equal hashes may begin at its end. */
  #firstPage(hash: number): number {
    let low = 0;
    let high = this.#pageHashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#pageHashes[middle] as number) < hash) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #page(page: number, file: ReadableFile): Float64Array {
    const start = page * pagePairs;
    const end = Math.min(this.count, start + pagePairs);
    if (this.#pairs !== null) return this.#pairs.subarray(start * 2, end * 2);
    const pairs = new Float64Array((end - start) * 2);
    readAll(file, new Uint8Array(pairs.buffer), headBytes + start * pairBytes);
    return pairs;
  }
}

/** Reads a whole index file; null when it is not the whole index of that segment. */
export function readSegmentIndex(file: ReadableFile, base: number, end: number): [IndexSummary, Float64Array] | null {
  const head = Buffer.alloc(headBytes);
  if (readAll(file, head, 0) < headBytes || head.readUInt32LE(0) !== magic || head.readUInt32LE(4) !== version) {
    return null;
  }
  if (head.readUInt32LE(44) !== crc32(head.subarray(0, 44))) return null;
  if (head.readDoubleLE(8) !== base || head.readDoubleLE(16) !== end) return null;
  const pairs = new Float64Array(head.readUInt32LE(24) * 2);
  const bytes = new Uint8Array(pairs.buffer);
  if (readAll(file, bytes, headBytes) < bytes.length || crc32(bytes) !== head.readUInt32LE(28)) return null;
  return [{ base, end, acceptedMaxMs: head.readDoubleLE(32), holes: head.readUInt32LE(40) }, pairs];
}
