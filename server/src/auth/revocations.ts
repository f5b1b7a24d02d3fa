/**
 * Sessions whose tokens count no more although they have not expired (V33) [BC-70]. Kept until the last token of the
 * session has expired by itself. Listeners are called at once, so that streams close well within 2 s.
 */
import type { TenantId } from '../base/ids.ts';
import type { Principal } from './principal.ts';
import { sessionKey } from './session-key.ts';

/** `session`: as `sessionKey` names it. */
export type RevocationListener = (session: string) => void;

export class Revocations {
  /** Session → when its last token expires, ms. */
  readonly #sessions = new Map<string, number>();
  readonly #listeners = new Set<RevocationListener>();

  /** Ends a session. `untilMs`: when the last token given out for it expires. */
  revoke(tenant: TenantId, session: string, untilMs: number, nowMs: number): void {
    for (const [key, endMs] of this.#sessions) if (endMs <= nowMs) this.#sessions.delete(key);
    const key = sessionKey({ tenant, session }) as string;
    this.#sessions.set(key, Math.max(untilMs, this.#sessions.get(key) ?? 0));
    for (const listener of this.#listeners) listener(key);
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
}
