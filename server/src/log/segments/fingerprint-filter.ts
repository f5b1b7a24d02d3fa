/**
 * Which segments may hold a fingerprint: the Bloom filters of all of them, sliced by bit. For each bit of the filter one
 * row of words holds that bit of every segment, so one question to hundreds of segments is a few rows ANDed together,
 * not a few look-ups for each segment. The bits of one fingerprint lie within a block of rows, so they share a page.
 * Never misses; errs in about 1 of 200 per segment, which costs one read of its index.
 */
import { fingerprintHash } from './fingerprint-table.ts';

const bitsPerFingerprint = 5;
const blockRows = 512;
const wordSegments = 32;
const wordsMax = 16;

/** Up to 512 segments, one column each. The width of a row doubles as segments come. */
class FilterGroup {
  readonly #blocks: number;
  #words = 1;
  #bits: Uint32Array;
  readonly columns: (number | null)[] = [];
  live = 0;

  constructor(blocks: number) {
    this.#blocks = blocks;
    this.#bits = new Uint32Array(blocks * blockRows);
  }

  get full(): boolean {
    return this.columns.length === wordSegments * wordsMax;
  }

  begin(base: number): number {
    if (this.columns.length === this.#words * wordSegments) this.#widen();
    this.live++;
    return this.columns.push(base) - 1;
  }

  add(column: number, fingerprint: number): void {
    const hash = fingerprintHash(fingerprint);
    const start = this.#blockOf(hash);
    const bit = 1 << (column & 31);
    let inner = innerHash(fingerprint, hash);
    const step = (inner >>> 20) | 1;
    for (let turn = 0; turn < bitsPerFingerprint; turn++) {
      const at = (start + (inner & (blockRows - 1))) * this.#words + (column >>> 5);
      this.#bits[at] = (this.#bits[at] as number) | bit;
      inner += step;
    }
  }

  collect(fingerprint: number, into: number[]): void {
    const hash = fingerprintHash(fingerprint);
    const start = this.#blockOf(hash);
    const first = innerHash(fingerprint, hash);
    const step = (first >>> 20) | 1;
    for (let word = 0; word * wordSegments < this.columns.length; word++) {
      let hits = -1;
      let inner = first;
      for (let turn = 0; turn < bitsPerFingerprint && hits !== 0; turn++) {
        hits &= this.#bits[(start + (inner & (blockRows - 1))) * this.#words + word] as number;
        inner += step;
      }
      for (; hits !== 0; hits &= hits - 1) {
        const base = this.columns[word * wordSegments + 31 - Math.clz32(hits & -hits)];
        if (base !== null && base !== undefined) into.push(base);
      }
    }
  }

  /** First row of the fingerprint's block. */
  #blockOf(hash: number): number {
    return Math.floor((hash * this.#blocks) / 4294967296) * blockRows;
  }

  #widen(): void {
    const rows = this.#blocks * blockRows;
    const wider = new Uint32Array(rows * this.#words * 2);
    for (let row = 0; row < rows; row++) {
      for (let word = 0; word < this.#words; word++) {
        wider[row * this.#words * 2 + word] = this.#bits[row * this.#words + word] as number;
      }
    }
    this.#bits = wider;
    this.#words *= 2;
  }
}

/** Bits that tell apart the fingerprints of one block, whose first hashes are alike. */
function innerHash(fingerprint: number, hash: number): number {
  const high = (fingerprint / 4294967296) | 0;
  const mixed = Math.imul((fingerprint | 0) ^ (high << 11) ^ hash, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 1;
}

const nothing: readonly number[] = [];

export class FingerprintFilter {
  readonly #blocks: number;
  #groups: FilterGroup[] = [];
  /** Column of the segment begun last. */
  #column = -1;

  /** `entries`: how many fingerprints one segment is expected to hold; 16 bits are kept for each. */
  constructor(entries: number) {
    this.#blocks = Math.max(2, Math.ceil((entries * 16) / blockRows));
  }

  /** Fingerprints added from here on belong to this segment. */
  begin(base: number): void {
    let group = this.#groups.at(-1);
    if (group === undefined || group.full) {
      group = new FilterGroup(this.#blocks);
      this.#groups.push(group);
    }
    this.#column = group.begin(base);
  }

  add(fingerprint: number): void {
    this.#groups.at(-1)?.add(this.#column, fingerprint);
  }

  remove(base: number): void {
    for (const group of this.#groups) {
      const column = group.columns.indexOf(base);
      if (column < 0) continue;
      group.columns[column] = null;
      group.live--;
    }
    // The newest group stays: it takes the segments to come.
    this.#groups = this.#groups.filter((group, at) => group.live > 0 || at === this.#groups.length - 1);
  }

  /** Bases of the segments that may hold the fingerprint. */
  segmentsOf(fingerprint: number): readonly number[] {
    if (this.#groups.length === 0) return nothing;
    const bases: number[] = [];
    for (const group of this.#groups) group.collect(fingerprint, bases);
    return bases.length === 0 ? nothing : bases;
  }
}
