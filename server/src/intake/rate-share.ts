/**
 * Port: token buckets that processes share, one per caller (E6). They are told what was spent, not asked whether it may
 * be: the hot path never waits for them (`share-rate.ts`).
 *
 * Atomicity: each caller's part of a call is applied as a whole, whoever else calls. After a rejection parts may have
 *   been applied; telling again counts them twice, which errs on the side of fewer events.
 * A bucket that is full is as good as none, and forgotten.
 */
export interface RateShare {
  /** What each caller has spent since the last call. Answers what is left to each, below zero for a debt. */
  spend(spent: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}
