/**
 * Fingerprint → position of the record, for the segment being written: open addressing in one Float64Array, key and
 * position side by side, so that a million entries are a few MiB outside the heap. Equal fingerprints of different
 * events each keep an entry: a hit is a hint, the caller compares records.
 * The home slot comes from the high bits of a hash, so slot order is nearly hash order and sealing needs no full sort.
 */
const loadMax = 0.5;

/** 32 well-mixed bits of a fingerprint, so that poor ones (small or consecutive numbers) spread as well. */
export function fingerprintHash(fingerprint: number): number {
  const low = fingerprint | 0;
  const high = (fingerprint / 4294967296) | 0;
  let hash = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return (hash ^ (hash >>> 13)) >>> 0;
}

export class FingerprintTable {
  #pairs: Float64Array;
  #capacity: number;
  /** Slots per unit of hash. */
  #scale: number;
  #count = 0;

  constructor(capacity = 1024) {
    this.#capacity = capacity;
    this.#pairs = new Float64Array(capacity * 2);
    this.#scale = capacity / 4294967296;
  }

  get capacity(): number {
    return this.#capacity;
  }

  get count(): number {
    return this.#count;
  }

  /** Makes room, so that slots stay where they are for the next `extra` insertions. */
  reserve(extra: number): void {
    let capacity = this.#capacity;
    while ((this.#count + extra) / capacity > loadMax) capacity *= 2;
    if (capacity !== this.#capacity) this.#grow(capacity);
  }

  /** The first slot that holds this fingerprint, or -1. */
  first(fingerprint: number): number {
    return this.#seek(fingerprint, (fingerprintHash(fingerprint) * this.#scale) | 0);
  }

  /** The next slot behind `slot` that holds the same fingerprint, or -1. */
  after(slot: number): number {
    return this.#seek(this.#pairs[slot * 2] as number, (slot + 1) & (this.#capacity - 1));
  }

  positionAt(slot: number): number {
    return this.#pairs[slot * 2 + 1] as number;
  }

  setPosition(slot: number, position: number): void {
    this.#pairs[slot * 2 + 1] = position;
  }

  /** Adds an entry beside any equal ones; answers its slot, valid until the table grows. */
  insert(fingerprint: number, position: number): number {
    if ((this.#count + 1) / this.#capacity > loadMax) this.#grow(this.#capacity * 2);
    this.#count++;
    return this.#place(fingerprint, position);
  }

  /** Takes back the latest insertion: entries must go in the reverse order of their coming, with no growth between. */
  undo(slot: number): void {
    this.#pairs[slot * 2] = 0;
    this.#pairs[slot * 2 + 1] = 0;
    this.#count--;
  }

  /** All entries as pairs in the order of their hash. */
  sorted(): Float64Array {
    const sorted = new Float64Array(this.#count * 2);
    let used = 0;
    const wrapped: number[] = [];
    for (let slot = 0; slot < this.#capacity; slot++) {
      const fingerprint = this.#pairs[slot * 2] as number;
      if (fingerprint === 0) continue;
      // An entry that ran over the end of the table to its start belongs behind all others.
      if (((fingerprintHash(fingerprint) * this.#scale) | 0) > slot) wrapped.push(slot);
      else used = insertSorted(sorted, used, fingerprint, this.positionAt(slot));
    }
    for (const slot of wrapped) {
      used = insertSorted(sorted, used, this.#pairs[slot * 2] as number, this.positionAt(slot));
    }
    return sorted;
  }

  #seek(fingerprint: number, from: number): number {
    const pairs = this.#pairs;
    const mask = this.#capacity - 1;
    for (let slot = from; ; slot = (slot + 1) & mask) {
      const key = pairs[slot * 2];
      if (key === fingerprint) return slot;
      if (key === 0) return -1;
    }
  }

  #place(fingerprint: number, position: number): number {
    const pairs = this.#pairs;
    const mask = this.#capacity - 1;
    let slot = (fingerprintHash(fingerprint) * this.#scale) | 0;
    while (pairs[slot * 2] !== 0) slot = (slot + 1) & mask;
    pairs[slot * 2] = fingerprint;
    pairs[slot * 2 + 1] = position;
    return slot;
  }

  #grow(capacity: number): void {
    const old = this.#pairs;
    this.#capacity = capacity;
    this.#scale = capacity / 4294967296;
    this.#pairs = new Float64Array(capacity * 2);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] !== 0) this.#place(old[at] as number, old[at + 1] as number);
    }
  }
}

/** Insertion from behind: entries come nearly in order, so almost none moves. */
function insertSorted(pairs: Float64Array, used: number, fingerprint: number, position: number): number {
  const hash = fingerprintHash(fingerprint);
  let at = used * 2;
  while (at > 0 && fingerprintHash(pairs[at - 2] as number) > hash) {
    pairs[at] = pairs[at - 2] as number;
    pairs[at + 1] = pairs[at - 1] as number;
    at -= 2;
  }
  pairs[at] = fingerprint;
  pairs[at + 1] = position;
  return used + 1;
}
