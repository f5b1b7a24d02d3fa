/**
 * Port: answers kept for repeated requests (E3).
 *
 * Keys are opaque; the caller puts tenant, caller and operation into them. `put` resolves when the answer would survive
 * the loss of the process, and replaces an earlier one. `get` never answers what has expired, whether or not `expire` ran.
 */
export interface StoredAnswer {
  /** Digest of the request that the answer is for. */
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface IdempotencyStore {
  get(key: string, nowMs: number): Promise<StoredAnswer | null>;
  put(key: string, answer: StoredAnswer, expiresAtMs: number): Promise<void>;
  /** Removes what has expired, where that does not go by itself. Answers how many; 0 when there is nothing left to do. */
  expire(nowMs: number): Promise<number>;
}
