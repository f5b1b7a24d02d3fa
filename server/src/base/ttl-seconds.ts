/** How long Cassandra shall keep a cell: whole seconds from now, at least the spare time, at most what it takes. */
const cassandraSecondsMax = 20 * 365 * 24 * 3600;

export function ttlSeconds(untilMs: number, nowMs: number, spareMs: number): number {
  return Math.min(cassandraSecondsMax, Math.ceil((Math.max(0, untilMs - nowMs) + spareMs) / 1000));
}
