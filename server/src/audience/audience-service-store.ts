/** The audience service over its stores. */
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import {
  type AudienceKey,
  audienceKey,
  type PersonKey,
  splitAudienceKey,
  splitPersonKey,
  type TenantId,
} from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { AudienceService, AudienceView, Wish } from './audience-service.ts';
import { kindOf } from './audience-sources.ts';
import type { AudienceStore, AudiencesPage } from './audience-store.ts';
import type { FanoutStore, FanoutSummary } from './fanout-store.ts';
import type { Membership, MembershipChange } from './membership.ts';

export interface AudienceServiceParts {
  readonly audiences: AudienceStore;
  readonly fanouts: FanoutStore;
  readonly clock: Clock;
  /** Kinds of audiences that exist whether or not somebody is in them: followers, and those the app answers for. */
  readonly openKinds: ReadonlySet<string>;
  /** Fan-outs that are not done, about. */
  readonly waiting: () => number | Promise<number>;
}

const changedByApi = series('carillon_audience_changes_total', { by: 'api' });

export class AudienceServiceStore implements AudienceService {
  readonly #parts: AudienceServiceParts;

  constructor(parts: AudienceServiceParts) {
    this.#parts = parts;
  }

  async unknown(tenant: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const { audiences, openKinds, waiting } = this.#parts;
    if ((await waiting()) >= limits.fanoutsWaitingMax) {
      throw new CarillonError('CARILLON_OVERLOADED', 'Too many events to audiences wait.', {
        retryAfterSeconds: limits.overloadRetrySeconds,
      });
    }
    const unknown = new Set<string>();
    for (const name of names) {
      if (openKinds.has(kindOf(name))) continue;
      if (!(await audiences.isKnown(audienceKey(tenant, name)))) unknown.add(name);
    }
    return unknown;
  }

  async set(wish: Wish): Promise<Membership> {
    const { audiences, clock } = this.#parts;
    const nowMs = clock.now();
    const before = await audiences.membership(wish.audience, wish.user);
    // An event may lie a little ahead of our clock.
    const timeMs = Math.max(nowMs, (before?.timeMs ?? 0) + 1);
    const change: MembershipChange = { ...wish, seq: null, timeMs, takenMs: nowMs };
    await this.apply([change]);
    return (await audiences.membership(wish.audience, wish.user)) as Membership;
  }

  async apply(changes: readonly MembershipChange[]): Promise<void> {
    for (let at = 0; at < changes.length; at += limits.subscriptionsPerWrite) {
      const part = changes.slice(at, at + limits.subscriptionsPerWrite);
      await this.#parts.audiences.apply(part, { logged: false });
      telemetry.add(changedByApi, part.length);
    }
  }

  async leaveAll(person: PersonKey): Promise<void> {
    const { tenant, user } = splitPersonKey(person);
    for (let after: string | null = null; ; ) {
      const page: AudiencesPage = await this.#parts.audiences.audiencesOf(person, 0, after);
      for (const name of page.audiences) {
        await this.set({ audience: audienceKey(tenant, name), user, present: false, notify: null });
      }
      if (page.next === null) return;
      after = page.next;
    }
  }

  async view(audience: AudienceKey): Promise<AudienceView> {
    const { audiences, fanouts } = this.#parts;
    const { tenant } = splitAudienceKey(audience);
    return {
      count: await audiences.count(audience),
      fanouts: await fanouts.list({ tenant, audience }, limits.fanoutsShownMax),
    };
  }

  fanouts(tenant: TenantId): Promise<readonly FanoutSummary[]> {
    return this.#parts.fanouts.list({ tenant, audience: null }, limits.fanoutsShownMax);
  }
}
