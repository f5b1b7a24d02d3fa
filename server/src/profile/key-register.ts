/**
 * Port: which keys the stored values need, each with a proof by which it is known again (S4). So a start with keys that
 * are not the right ones is refused, instead of ending in values that cannot be read, or never be found.
 */
export interface KeyRegister {
  /** By the key's name. */
  all(): Promise<ReadonlyMap<string, string>>;
  /** Resolves when it would survive the loss of the process. One that is there stays as it is. */
  add(proofs: ReadonlyMap<string, string>): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
}
