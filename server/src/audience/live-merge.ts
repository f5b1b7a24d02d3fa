/**
 * Shows broadcasts live (F3): of the people who are connected here, those in its audience get it now, as if they had opened
 * their inboxes at this moment. Whoever is missed by a crash or a fault gets it when they next open theirs.
 */
import { type PersonKey, splitAudienceKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Service } from '../base/service.ts';
import type { AudienceStore } from './audience-store.ts';
import type { NumberedBroadcast } from './broadcast-store.ts';

export interface LiveMergeParts {
  readonly audiences: Pick<AudienceStore, 'memberships'>;
  /** Whoever is connected here. */
  readonly people: () => readonly PersonKey[];
  readonly merge: (tenant: TenantId, people: readonly PersonKey[]) => Promise<unknown>;
  /** Must not throw. */
  readonly failed: (error: unknown) => void;
}

export type ToldBroadcast = Pick<NumberedBroadcast, 'audience' | 'acceptedMs'>;

export class LiveMerge implements Service {
  readonly #parts: LiveMergeParts;
  #last: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(parts: LiveMergeParts) {
    this.#parts = parts;
  }

  /** One after another. */
  told(broadcast: ToldBroadcast): void {
    this.#last = this.#last.then(() => this.#show(broadcast)).catch((error: unknown) => this.#parts.failed(error));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#last;
  }

  async #show({ audience, acceptedMs }: ToldBroadcast): Promise<void> {
    const { audiences, people, merge } = this.#parts;
    const { tenant } = splitAudienceKey(audience);
    const connected = people().filter((person) => splitPersonKey(person).tenant === tenant);
    for (let at = 0; at < connected.length && !this.#isStopping; at += limits.broadcastPeoplePerStep) {
      const some = connected.slice(at, at + limits.broadcastPeoplePerStep);
      const memberships = await audiences.memberships(
        some.map((person) => ({ audience, user: splitPersonKey(person).user })),
      );
      const members = some.filter((_, index) => {
        const membership = memberships[index];
        return membership?.present === true && membership.sinceMs <= acceptedMs;
      });
      if (members.length > 0) await merge(tenant, members);
      // Others first.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
