/** Who wants to know that a shard got something to read. */
export class AppendListeners {
  readonly #byShard = new Map<number, Set<() => void>>();

  /** Answers how to stop. */
  add(shard: number, listener: () => void): () => void {
    const listeners = this.#byShard.get(shard) ?? new Set();
    this.#byShard.set(shard, listeners);
    // A function of its own, so that the same listener given twice is two.
    const entry = () => listener();
    listeners.add(entry);
    return () => void listeners.delete(entry);
  }

  tell(shards: Iterable<number>): void {
    for (const shard of new Set(shards)) {
      for (const listener of this.#byShard.get(shard) ?? []) listener();
    }
  }
}
