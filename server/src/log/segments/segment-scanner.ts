/**
 * Walks the blocks of one segment file from front to back. Reads headers through a small window, so that long blocks of
 * other lanes are stepped over, not read. Says `damaged` instead of guessing: what to do about damage is the caller's.
 * Bytes below `limit` must be final when they are read, since the window keeps them.
 */
import { crc32 } from 'node:zlib';
import { type BlockHeader, blockAlignment, blockHeaderBytes, nextBlock, readBlockHeader } from './block.ts';
import type { ReadableFile } from './log-files.ts';
import { readAll } from './log-files.ts';

const windowBytes = 64 * 1024;

export class SegmentScanner {
  readonly #file: ReadableFile;
  readonly #base: number;
  readonly #window = Buffer.allocUnsafeSlow(windowBytes);
  #windowStart = 0;
  #windowEnd = 0;
  /** Position of the next block. */
  position: number;

  constructor(file: ReadableFile, base: number, position: number) {
    this.#file = file;
    this.#base = base;
    this.position = position;
  }

  /** The header of the block at `position`; does not move. `limit` is the position where the data ends. */
  peek(limit: number): BlockHeader | 'end' | 'damaged' {
    if (this.position >= limit) return 'end';
    return this.#headerAt(this.position, limit) ?? 'damaged';
  }

  skip(header: BlockHeader): void {
    this.position = nextBlock(header);
  }

  /** The records of a block, in a buffer of their own, or null when they are not what was written. */
  records(header: BlockHeader): Buffer | null {
    const start = header.position + blockHeaderBytes;
    const bytes = Buffer.allocUnsafeSlow(header.bytes);
    if (start >= this.#windowStart && start + header.bytes <= this.#windowEnd) {
      this.#window.copy(bytes, 0, start - this.#windowStart, start - this.#windowStart + header.bytes);
    } else if (readAll(this.#file, bytes, start - this.#base) < header.bytes) {
      return null;
    }
    return crc32(bytes) === header.recordsCrc ? bytes : null;
  }

  /** Moves to the next whole header behind `position`; null when there is none before `limit`. */
  resync(limit: number): BlockHeader | null {
    for (let at = this.position + blockAlignment; at + blockHeaderBytes <= limit; at += blockAlignment) {
      const header = this.#headerAt(at, limit);
      // The file may end before the data should.
      if (header === null && at + blockHeaderBytes > this.#windowEnd) return null;
      if (header === null) continue;
      this.position = at;
      return header;
    }
    return null;
  }

  #headerAt(position: number, limit: number): BlockHeader | null {
    if (position + blockHeaderBytes > limit) return null;
    if (position < this.#windowStart || position + blockHeaderBytes > this.#windowEnd) this.#fill(position, limit);
    if (position + blockHeaderBytes > this.#windowEnd) return null;
    const header = readBlockHeader(this.#window, position - this.#windowStart, position);
    return header !== null && nextBlock(header) <= limit ? header : null;
  }

  #fill(position: number, limit: number): void {
    const wanted = Math.min(windowBytes, limit - position);
    const read = readAll(this.#file, this.#window.subarray(0, wanted), position - this.#base);
    this.#windowStart = position;
    this.#windowEnd = position + read;
  }
}
