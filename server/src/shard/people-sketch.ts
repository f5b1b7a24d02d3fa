/**
 * An estimate of how many distinct people there are, in a kilobyte (HyperLogLog: Flajolet et al. 2007, with linear
 * counting for small numbers). For rows with more people than are kept one by one (D5). Adding someone again changes
 * nothing; nobody can be taken out.
 */
import { fingerprintOf } from '../base/hash.ts';

/** A standard error of 3.25 %. */
const registers = 1024;
/** Bits of the hash beside those that choose the register. */
const hashBits = 43;
const seed = 11;
/** A register's value as a printable character: from `#` on, past the quotation mark and before the backslash. */
const firstCode = 0x23;
const alpha = 0.7213 / (1 + 1.079 / registers);

export class PeopleSketch {
  readonly #ranks: Uint8Array;

  private constructor(ranks: Uint8Array) {
    this.#ranks = ranks;
  }

  static empty(): PeopleSketch {
    return new PeopleSketch(new Uint8Array(registers));
  }

  /** From `toText`. */
  static fromText(text: string): PeopleSketch {
    const ranks = Uint8Array.from(Buffer.from(text, 'latin1'), (code) => code - firstCode);
    if (ranks.length !== registers) throw new Error(`a sketch has ${registers} registers, not ${ranks.length}`);
    return new PeopleSketch(ranks);
  }

  /** Answers whether the estimate may have changed. */
  add(actorId: string): boolean {
    const hash = fingerprintOf(actorId, seed);
    const index = hash % registers;
    const rank = hashBits + 1 - bitLength(Math.floor(hash / registers));
    if ((this.#ranks[index] as number) >= rank) return false;
    this.#ranks[index] = rank;
    return true;
  }

  estimate(): number {
    let sum = 0;
    let empty = 0;
    for (const rank of this.#ranks) {
      sum += 2 ** -rank;
      if (rank === 0) empty++;
    }
    const raw = (alpha * registers * registers) / sum;
    if (raw <= 2.5 * registers && empty > 0) return Math.round(registers * Math.log(registers / empty));
    return Math.round(raw);
  }

  /** Printable ASCII that needs no escape in JSON. */
  toText(): string {
    return Buffer.from(this.#ranks.map((rank) => rank + firstCode)).toString('latin1');
  }
}

/** Bits of a number below 2^43. */
function bitLength(value: number): number {
  const high = Math.floor(value / 2 ** 32);
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(value);
}
