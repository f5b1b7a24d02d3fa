/**
 * The identities met most recently, each with the place where it was met first (E3): the record there is the one that
 * counts, any other of the same identity is a repeat. Bounded in bytes: two generations, of which the older goes as a
 * whole when the younger is full, so that at least half of what fits is remembered.
 *
 * A fingerprint finds, the identity's own bytes (shard, tenant, source, id, part) decide. They lie in one buffer per
 * generation behind each other: no object per identity.
 */
import { RecordView } from '../record.ts';
import { FingerprintTable } from '../segments/fingerprint-table.ts';

const placeBytes = 8;
const lengthBytes = 2;
const separator = '\u0000';

class Generation {
  readonly #table = new FingerprintTable();
  readonly #entries: Buffer;
  #used = 0;

  constructor(bytes: number) {
    this.#entries = Buffer.allocUnsafe(bytes);
  }

  /** Where this identity was met; -1 if it was not. */
  find(fingerprint: number, identity: Buffer): number {
    for (let slot = this.#table.first(fingerprint); slot >= 0; slot = this.#table.after(slot)) {
      const at = this.#table.positionAt(slot);
      const start = at + placeBytes + lengthBytes;
      const end = start + this.#entries.readUInt16LE(at + placeBytes);
      if (identity.compare(this.#entries, start, end) === 0) return this.#entries.readDoubleLE(at);
    }
    return -1;
  }

  /** False when it is full. */
  add(fingerprint: number, identity: Buffer, place: number): boolean {
    const at = this.#used;
    const start = at + placeBytes + lengthBytes;
    if (start + identity.length > this.#entries.length) return false;
    this.#entries.writeDoubleLE(place, at);
    this.#entries.writeUInt16LE(identity.length, at + placeBytes);
    identity.copy(this.#entries, start);
    this.#used = start + identity.length;
    this.#table.insert(fingerprint, at);
    return true;
  }
}

export class IdentityMemory {
  readonly #generationBytes: number;
  readonly #view = new RecordView();
  #identity = Buffer.allocUnsafe(1024);
  #young: Generation;
  #old: Generation | null = null;

  constructor(bytesMax: number) {
    this.#generationBytes = bytesMax >>> 1;
    this.#young = new Generation(this.#generationBytes);
  }

  /**
   * Where the identity of the record at `at` was met first: `place` itself, which is noted, if it was not met before.
   * Places are whole numbers that name one record each.
   */
  firstPlace(buffer: Buffer, at: number, place: number): number {
    this.#view.move(buffer, at);
    // 0 means "none" in a table; no record of ours has it.
    const fingerprint = this.#view.fingerprint || 1;
    const identity = this.#identityBytes();
    const known = this.#find(fingerprint, identity);
    if (known >= 0) return known;
    if (!this.#young.add(fingerprint, identity, place)) {
      this.#old = this.#young;
      this.#young = new Generation(this.#generationBytes);
      this.#young.add(fingerprint, identity, place);
    }
    return place;
  }

  /** Forgets everything. */
  clear(): void {
    this.#young = new Generation(this.#generationBytes);
    this.#old = null;
  }

  #find(fingerprint: number, identity: Buffer): number {
    const place = this.#young.find(fingerprint, identity);
    return place >= 0 ? place : (this.#old?.find(fingerprint, identity) ?? -1);
  }

  #identityBytes(): Buffer {
    const view = this.#view;
    const { part } = view;
    const name = view.tenant + separator + view.text('source') + separator + view.text('id');
    const text = part === '' ? name : name + separator + part;
    const bytesMax = 2 + text.length * 3;
    if (this.#identity.length < bytesMax) this.#identity = Buffer.allocUnsafe(bytesMax);
    this.#identity.writeUInt16LE(view.shard, 0);
    return this.#identity.subarray(0, 2 + this.#identity.write(text, 2));
  }
}
