/** Units that limits are given in: bytes, and milliseconds. */
const KiB = 1024;
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export const units = { KiB, MiB: 1024 * KiB, second, minute, hour, day: 24 * hour } as const;
