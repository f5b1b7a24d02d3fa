/** Audiences as the sockets' thread sees them: each call is answered by the store's thread. */
import type { AudienceService, AudienceView, Wish } from '../audience/audience-service.ts';
import type { FanoutSummary } from '../audience/fanout-store.ts';
import type { Membership, MembershipChange } from '../audience/membership.ts';
import type { AudienceKey, PersonKey, TenantId } from '../base/ids.ts';
import type { Caller } from './channel.ts';

export class RemoteAudiences implements AudienceService {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  unknown(tenant: string, audiences: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#caller.call('audiencesUnknown', [tenant, audiences]);
  }

  set(wish: Wish): Promise<Membership> {
    return this.#caller.call('audienceSet', [wish]);
  }

  apply(changes: readonly MembershipChange[]): Promise<void> {
    return this.#caller.call('audienceApply', [changes]);
  }

  leaveAll(person: PersonKey): Promise<void> {
    return this.#caller.call('audiencesLeave', [person]);
  }

  view(audience: AudienceKey): Promise<AudienceView> {
    return this.#caller.call('audienceView', [audience]);
  }

  fanouts(tenant: TenantId): Promise<readonly FanoutSummary[]> {
    return this.#caller.call('fanouts', [tenant]);
  }
}
