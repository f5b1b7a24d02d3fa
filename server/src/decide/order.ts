/**
 * Order of events about one actor and thing (E7): the source's `seq` where both have one, else event time.
 * Arrival order never matters; at a tie the undo wins, so that any order of arrival ends in the same state.
 */
export interface Ordered {
  readonly seq: number | null;
  readonly timeMs: number;
}

/** Negative when `a` comes before `b`, 0 when they cannot be told apart. */
export function compareOrder(a: Ordered, b: Ordered): number {
  if (a.seq !== null && b.seq !== null) return a.seq - b.seq;
  return a.timeMs - b.timeMs;
}
