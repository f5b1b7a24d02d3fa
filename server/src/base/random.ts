/** Randomness as an argument: unpredictable in service, seeded in tests. */
import { randomBytes, randomInt } from 'node:crypto';

export interface Random {
  /** An integer in [0, limit). */
  below(limit: number): number;
  /** `length` bytes, as lower-case hexadecimal. */
  hex(length: number): string;
}

export const systemRandom: Random = {
  below: (limit) => (limit <= 1 ? 0 : randomInt(limit)),
  hex: (length) => randomBytes(length).toString('hex'),
};

/** A small seeded generator (mulberry32): the same seed gives the same run. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    below: (limit) => Math.floor(next() * limit),
    hex: (length) =>
      Array.from({ length }, () =>
        Math.floor(next() * 256)
          .toString(16)
          .padStart(2, '0'),
      ).join(''),
  };
}
