/** What the API and intake ask of audiences. */
import type { AudienceKey, PersonKey, TenantId } from '../base/ids.ts';
import type { FanoutSummary } from './fanout-store.ts';
import type { Membership, MembershipChange } from './membership.ts';

/** What a caller wants of one person's place in one audience, now. */
export type Wish = Pick<MembershipChange, 'audience' | 'user' | 'present' | 'notify'>;

export interface AudienceView {
  readonly count: number;
  /** Under way first, then those done lately. */
  readonly fanouts: readonly FanoutSummary[];
}

export interface AudienceService {
  /** The audiences that do not exist. Throws CARILLON_OVERLOADED where no more fan-outs are taken for now. */
  unknown(tenant: string, audiences: readonly string[]): Promise<ReadonlySet<string>>;
  /** Holds against everything that was known before; durable. Answers what it is now. */
  set(wish: Wish): Promise<Membership>;
  /** Each at its time, as if it came by an event; durable. */
  apply(changes: readonly MembershipChange[]): Promise<void>;
  /** The person leaves all audiences that are kept here (S7). Who left is remembered as for any departure. */
  leaveAll(person: PersonKey): Promise<void>;
  view(audience: AudienceKey): Promise<AudienceView>;
  fanouts(tenant: TenantId): Promise<readonly FanoutSummary[]>;
}
