/**
 * Finds which of a fixed list of ASCII names begins at a place, without making a string: by its first and its last four
 * bytes, the closing quote among them. A walk usually meets the names in the listed order, so the next one is tried first.
 */
export class KnownKeys {
  /** Bytes of each name with its closing quote. */
  readonly lengths: Uint8Array;
  private readonly quoted: Uint8Array[];
  private readonly first: Uint32Array;
  private readonly masks: Uint32Array;
  private readonly last: Uint32Array;

  constructor(names: readonly string[]) {
    this.quoted = names.map((name) => Buffer.from(`${name}"`, 'latin1'));
    this.lengths = Uint8Array.from(this.quoted, (name) => name.length);
    this.masks = Uint32Array.from(this.quoted, (name) => (name.length < 4 ? 0xffffff : 0xffffffff));
    this.first = Uint32Array.from(this.quoted, (name) => word(name, 0));
    this.last = Uint32Array.from(this.quoted, (name) => word(name, Math.max(0, name.length - 4)));
  }

  /** Index of the name whose first byte is at `at` and whose closing quote follows it, or −1. `expected` is tried first. */
  find(view: DataView, at: number, expected: number): number {
    if (at + 12 > view.byteLength) return this.findSlowly(view, at);
    const { first, masks } = this;
    const start = view.getUint32(at, true);
    const count = first.length;
    let index = expected < count ? expected : 0;
    for (let tries = 0; tries < count; tries++) {
      if ((start & (masks[index] as number)) >>> 0 === first[index] && this.ends(view, at, index)) return index;
      if (++index === count) index = 0;
    }
    return -1;
  }

  private ends(view: DataView, at: number, index: number): boolean {
    const length = this.lengths[index] as number;
    if (length <= 4) return true;
    if (view.getUint32(at + length - 4, true) !== this.last[index]) return false;
    return length <= 8 || this.middle(view, at, index);
  }

  private middle(view: DataView, at: number, index: number): boolean {
    const name = this.quoted[index] as Uint8Array;
    for (let offset = 4; offset < name.length - 4; offset++)
      if (view.getUint8(at + offset) !== name[offset]) return false;
    return true;
  }

  /** Near the end of the buffer, where words cannot be read. */
  private findSlowly(view: DataView, at: number): number {
    return this.quoted.findIndex((name) => {
      if (at + name.length > view.byteLength) return false;
      return name.every((byte, offset) => view.getUint8(at + offset) === byte);
    });
  }
}

/** Four bytes from `at`, zeros behind the end. */
function word(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let offset = 3; offset >= 0; offset--) value = value * 256 + (bytes[at + offset] ?? 0);
  return value;
}
