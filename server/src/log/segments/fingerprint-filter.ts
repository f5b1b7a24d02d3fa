/**
 * Which sealed segments may hold a fingerprint: the Bloom filters of all of them, sliced by bit. For each bit of the
 * filter one row of words holds that bit of every segment, so one question to hundreds of segments is `hashes` rows
 * ANDed together, not `hashes` look-ups for each segment. Never misses; errs in about 1 of 1,000 per segment.
 */
import { fingerprintHash } from './fingerprint-table.ts';

const hashes = 7;
const wordSegments = 32;
const wordsMax = 16;

/** Up to 512 segments, one column each. The width of a row doubles as segments come. */
class FilterGroup {
  readonly #rowMask: number;
  #words = 1;
  #bits: Uint32Array;
  readonly columns: (number | null)[] = [];
  live = 0;

  constructor(rows: number) {
    this.#rowMask = rows - 1;
    this.#bits = new Uint32Array(rows);
  }

  get full(): boolean {
    return this.columns.length === wordSegments * wordsMax;
  }

  add(base: number, fingerprints: Iterable<number>): void {
    const column = this.columns.length;
    if (column === this.#words * wordSegments) this.#widen();
    this.columns.push(base);
    this.live++;
    const word = column >>> 5;
    const bit = 1 << (column & 31);
    for (const fingerprint of fingerprints) {
      let hash = fingerprintHash(fingerprint);
      const step = stepOf(fingerprint, hash);
      for (let turn = 0; turn < hashes; turn++) {
        const at = (hash & this.#rowMask) * this.#words + word;
        this.#bits[at] = (this.#bits[at] as number) | bit;
        hash = (hash + step) | 0;
      }
    }
  }

  collect(fingerprint: number, into: number[]): void {
    const first = fingerprintHash(fingerprint);
    const step = stepOf(fingerprint, first);
    for (let word = 0; word * wordSegments < this.columns.length; word++) {
      let hits = -1;
      let hash = first;
      for (let turn = 0; turn < hashes && hits !== 0; turn++) {
        hits &= this.#bits[(hash & this.#rowMask) * this.#words + word] as number;
        hash = (hash + step) | 0;
      }
      for (; hits !== 0; hits &= hits - 1) {
        const base = this.columns[word * wordSegments + 31 - Math.clz32(hits & -hits)];
        if (base !== null && base !== undefined) into.push(base);
      }
    }
  }

  #widen(): void {
    const rows = this.#rowMask + 1;
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

/** An odd step, from bits that the first hash does not show alone. */
function stepOf(fingerprint: number, hash: number): number {
  const high = (fingerprint / 4294967296) | 0;
  return Math.imul((fingerprint | 0) ^ (hash >>> 7) ^ (high << 11), 0x9e3779b1) | 1;
}

const nothing: readonly number[] = [];

export class FingerprintFilter {
  readonly #rows: number;
  #groups: FilterGroup[] = [];

  /** `entries`: how many fingerprints one segment may be expected to hold; ten to twenty bits are kept for each. */
  constructor(entries: number) {
    let rows = 1024;
    while (rows < entries * 10) rows *= 2;
    this.#rows = rows;
  }

  add(base: number, fingerprints: Iterable<number>): void {
    let group = this.#groups.at(-1);
    if (group === undefined || group.full) {
      group = new FilterGroup(this.#rows);
      this.#groups.push(group);
    }
    group.add(base, fingerprints);
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
