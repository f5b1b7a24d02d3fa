/**
 * Port: our own subscriptions (F2), kept by follow events, by the API and by bulk import.
 *
 * Durability: `apply` resolves when all its changes would survive the loss of the process, and, unless they are `logged`,
 *   of the machine. A call that fails may have applied some of them: repeat it, the same change again has no effect.
 * Order: see `membership.ts`; calls and places within a call do not matter.
 * Counts are exact: a count is changed in the same write as the members it counts.
 * Tenants never meet: audiences and people carry theirs in their keys.
 */
import type { AudienceKey, PersonKey } from '../base/ids.ts';
import type { AudienceSource, MemberPage } from './audience-source.ts';
import type { Membership, MembershipChange } from './membership.ts';

export interface AudiencesPage {
  readonly audiences: readonly string[];
  /** Where the next page begins; null behind the last. */
  readonly next: string | null;
}

export type PlaceInAudience = Pick<MembershipChange, 'audience' | 'user'>;

export interface ApplyOptions {
  /** The changes are in the event log, which applies them again after a crash of the machine: they need no sync. */
  readonly logged: boolean;
}

export interface AudienceStore extends AudienceSource {
  apply(changes: readonly MembershipChange[], options: ApplyOptions): Promise<void>;
  /** Members now; 0 where nobody ever was one. */
  count(audience: AudienceKey): Promise<number>;
  /** Null for whoever never was a member, or left long ago. */
  membership(audience: AudienceKey, user: string): Promise<Membership | null>;
  /** As `membership`, of many, in their order. */
  memberships(places: readonly PlaceInAudience[]): Promise<readonly (Membership | null)[]>;
  /** As `members`, of those who asked to be pushed: reads no others (F3). */
  askedForPush(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage>;
  /** Whether it has a member, or ever had one. */
  isKnown(audience: AudienceKey): Promise<boolean>;
  /**
   * Audiences of a person that have more than `above` members, in a stable order from `after` on; as with members, a
   * page may be empty although more follow.
   */
  audiencesOf(person: PersonKey, above: number, after: string | null): Promise<AudiencesPage>;
  /** Forgets some departures that were taken before a time. Answers how many; 0 when none is left. */
  prune(beforeMs: number): Promise<number>;
}
