/**
 * Port: who is behind an audience (F2): our own subscriptions, or the app itself.
 *
 * Order: members come in an order that does not change, so that reading goes on anywhere from a cursor, also after a crash
 *   and while people join and leave: whoever is a member all the while is on exactly one page. Who comes or goes
 *   meanwhile may be on it or not.
 * Pages: at most `max` members, and maybe none although more follow. A cursor is opaque and good for its audience only.
 */
import type { AudienceKey } from '../base/ids.ts';

export interface Member {
  readonly user: string;
  /** Wants to be pushed for what this audience hears (F3). */
  readonly notify: boolean;
}

export interface MemberPage {
  readonly members: readonly Member[];
  /** Where the next page begins; null behind the last. */
  readonly next: string | null;
}

/** Somebody has halted what goes to this audience: it is asked again before long, as often as it takes. */
export class AudiencePaused extends Error {}

export interface AudienceSource {
  /** From the first member on, where `after` is null. Rejects with AudiencePaused where all is well and has to wait. */
  members(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage>;
}
