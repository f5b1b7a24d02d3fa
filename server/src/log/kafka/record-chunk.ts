/**
 * Records of one fetch, packed behind each other, with the offset of each. Taken from the front without a copy; where a
 * record in between is dropped, those behind it move up in place.
 */
import { limits } from '../../base/limits.ts';
import type { LogBatch } from '../event-log.ts';

/** Whether the record at `at`, whose offset this is, is to be left out. */
export type IsRepeat = (bytes: Buffer, at: number, offset: number) => boolean;

export class RecordChunk {
  #bytes: Buffer;
  #offsets: number[] = [];
  #used = 0;
  #at = 0;
  #index = 0;
  #next: number;

  /** `next`: the offset to go on from when everything is taken, corrected by `end`. */
  constructor(bytesExpected: number, next: number) {
    this.#bytes = Buffer.allocUnsafe(bytesExpected);
    this.#next = next;
  }

  get bytesLeft(): number {
    return this.#used - this.#at;
  }

  /** Where to read on behind what has been taken. */
  get position(): number {
    return this.#at < this.#used ? (this.#offsets[this.#index] as number) : this.#next;
  }

  get count(): number {
    return this.#offsets.length;
  }

  add(offset: number, from: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.#used + length > this.#bytes.length) {
      // Only where the batch was compressed: what it grows to is not known.
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + length + limits.eventBytesMax));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    from.copy(this.#bytes, this.#used, start, end);
    this.#used += length;
    this.#offsets.push(offset);
  }

  /** Nothing more is added; what follows it begins at `next`. */
  end(next: number): void {
    this.#next = next;
  }

  /** At least one record that is no repeat, at most about `bytesMax`; null when none is left. */
  take(bytesMax: number, isRepeat: IsRepeat): LogBatch | null {
    const bytes = this.#bytes;
    const start = this.#at;
    let write = start;
    let count = 0;
    while (this.#at < this.#used) {
      const length = bytes.readUInt32LE(this.#at);
      if (count > 0 && write + length - start > bytesMax) break;
      if (!isRepeat(bytes, this.#at, this.#offsets[this.#index] as number)) {
        if (write < this.#at) bytes.copyWithin(write, this.#at, this.#at + length);
        write += length;
        count++;
      }
      this.#at += length;
      this.#index++;
    }
    return count === 0 ? null : { bytes: bytes.subarray(start, write), count, next: this.position };
  }
}
