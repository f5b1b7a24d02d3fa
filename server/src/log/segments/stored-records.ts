/** Reads single records by position, to confirm what a fingerprint suggests. Usually one read of a few KiB. */
import { recordHeaderBytes, recordVersion } from '../record.ts';
import { readAll } from './log-files.ts';
import type { SegmentStore } from './segment-store.ts';

const firstReadBytes = 2048;

export class StoredRecords {
  readonly #store: SegmentStore;
  #buffer = Buffer.allocUnsafeSlow(firstReadBytes);

  constructor(store: SegmentStore) {
    this.#store = store;
  }

  /** The record, valid until the next call; null when its segment is gone or there is no whole record. */
  read(position: number): { buffer: Buffer; at: number } | null {
    const segment = this.#store.segmentAt(position);
    if (segment === undefined || position < segment.header.base) return null;
    const file = this.#store.fileOf(segment);
    const offset = position - segment.header.base;
    const bytesMax = segment.end - position;
    const first = readAll(file, this.#buffer.subarray(0, Math.min(firstReadBytes, bytesMax)), offset);
    if (first < recordHeaderBytes || this.#buffer[4] !== recordVersion) return null;
    const length = this.#buffer.readUInt32LE(0);
    if (length < recordHeaderBytes || length > bytesMax) return null;
    if (length <= first) return { buffer: this.#buffer, at: 0 };
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(length);
    return readAll(file, this.#buffer.subarray(0, length), offset) < length ? null : { buffer: this.#buffer, at: 0 };
  }
}
