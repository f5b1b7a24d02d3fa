/**
 * Port: revoked sessions, kept over restarts until their last token has expired by itself (V33).
 * `put` resolves when the entry would survive the loss of the process; a later `put` of a session replaces the earlier.
 */
export interface RevokedSession {
  /** As `sessionKey` names it. */
  readonly session: string;
  readonly untilMs: number;
}

export interface RevocationStore {
  put(revoked: RevokedSession): Promise<void>;
  /** All that count still. Those that count no more are removed on the way, or go by themselves. */
  load(nowMs: number): Promise<readonly RevokedSession[]>;
  /**
   * Calls `listener` for each session that another process puts, soon and at least once; answers how to stop. Absent
   * where there are no other processes.
   */
  watch?(listener: (revoked: RevokedSession) => void): () => void;
}
