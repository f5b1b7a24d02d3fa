/** Revoked sessions in memory, for tests. */
import type { RevocationStore, RevokedSession } from './revocation-store.ts';

export class RevocationStoreMemory implements RevocationStore {
  readonly #sessions = new Map<string, RevokedSession>();

  async put(revoked: RevokedSession): Promise<void> {
    this.#sessions.set(revoked.session, revoked);
  }

  async load(nowMs: number): Promise<readonly RevokedSession[]> {
    return [...this.#sessions.values()].filter(({ untilMs }) => untilMs > nowMs);
  }
}
