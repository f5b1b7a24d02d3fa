/**
 * What became of one attempt to send (V2). A value: providers never throw. Each provider has one table from its codes to
 * these, and nothing else decides what a code means.
 */
export type Outcome =
  /** The provider has taken it. That is all it says: not that anybody saw it (V1). `providerId`: its name for it. */
  | { readonly kind: 'accepted'; readonly providerId: string | null }
  /** The provider could not just now, and did not take it. Counts as an attempt. */
  | { readonly kind: 'retry'; readonly code: string; readonly afterMs: number | null }
  /** Not refused, only slowed: waits without counting as an attempt, and with it all of the same `scope`. */
  | {
      readonly kind: 'throttled';
      readonly code: string;
      readonly afterMs: number | null;
      readonly scope: 'provider' | 'project' | 'endpoint';
    }
  /**
   * Nobody is at this endpoint any more, by proof. `asOfMs`: when that became so by the provider's clock, null if it does
   * not say; an endpoint that was registered again since then is another one (BC-46).
   */
  | { readonly kind: 'gone'; readonly code: string; readonly asOfMs: number | null }
  /** Our own mistake, in this message alone: never tried again unchanged, the endpoint stays. */
  | { readonly kind: 'refused'; readonly code: string }
  /** We may not send at all: a key, a certificate, a policy. Holds everything of the same credentials until mended. */
  | { readonly kind: 'blocked'; readonly code: string }
  /** The connection ended after it may have been taken: the answer is lost. Never sent again by itself (V4). */
  | { readonly kind: 'unknown'; readonly code: string };

export type OutcomeKind = Outcome['kind'];

/**
 * Whether an outcome is proof that the endpoint is dead. What a provider knew before the endpoint was registered, the last
 * time, is none (BC-46).
 */
export function provesGone(outcome: Outcome, registeredAtMs: number): boolean {
  return outcome.kind === 'gone' && (outcome.asOfMs === null || outcome.asOfMs > registeredAtMs);
}
