/**
 * Sessions whose tokens count no more although they have not expired (V33) [BC-70]. Kept, over restarts too, for as long
 * as a token of theirs may last. Listeners are called at once, here and in other processes, so that streams close well
 * within 2 s.
 */
import type { Clock } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Principal } from './principal.ts';
import type { RevocationStore, RevokedSession } from './revocation-store.ts';
import { sessionKey } from './session-key.ts';

/** `session`: as `sessionKey` names it. */
export type RevocationListener = (session: string) => void;

export class Revocations {
  readonly #store: RevocationStore;
  readonly #clock: Clock;
  /** Session → when its last token has expired, ms; in the order of revocation. */
  readonly #sessions = new Map<string, number>();
  readonly #listeners = new Set<RevocationListener>();

  constructor(store: RevocationStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    store.watch?.((revoked) => this.#take(revoked));
  }

  /** Takes in what was revoked before the last stop. */
  async load(): Promise<void> {
    for (const { session, untilMs } of await this.#store.load(this.#clock.now())) this.#sessions.set(session, untilMs);
  }

  /** Ends a session, at once. Rejects when that would be forgotten by a restart: then it must be asked for again. */
  async revoke(tenant: TenantId, session: string): Promise<void> {
    const nowMs = this.#clock.now();
    this.#forgetOldest(nowMs);
    const key = sessionKey({ tenant, session }) as string;
    const untilMs = nowMs + limits.revocationKeptMs;
    this.#end(key, untilMs);
    await this.#store.put({ session: key, untilMs });
  }

  isRevoked(principal: Principal): boolean {
    if (principal.kind !== 'user') return false;
    const key = sessionKey(principal);
    return key !== null && this.#sessions.has(key);
  }

  /** Answers how to stop listening. */
  onRevoked(listener: RevocationListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ended by another process. Told of the same again, nothing happens. */
  #take({ session, untilMs }: RevokedSession): void {
    if (untilMs > Math.max(this.#clock.now(), this.#sessions.get(session) ?? 0)) this.#end(session, untilMs);
  }

  #end(key: string, untilMs: number): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, untilMs);
    for (const listener of this.#listeners) listener(key);
  }

  #forgetOldest(nowMs: number): void {
    for (const [key, untilMs] of this.#sessions) {
      if (untilMs > nowMs) return;
      this.#sessions.delete(key);
    }
  }
}
