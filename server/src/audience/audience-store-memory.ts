/** Subscriptions in memory, for tests. */
import { type AudienceKey, type PersonKey, personKey, splitAudienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { MemberPage } from './audience-source.ts';
import type { AudienceStore, AudiencesPage, PlaceInAudience } from './audience-store.ts';
import { changed, type Membership, type MembershipChange } from './membership.ts';

export class AudienceStoreMemory implements AudienceStore {
  readonly #audiences = new Map<AudienceKey, Map<string, Membership>>();
  readonly #known = new Set<AudienceKey>();

  async apply(changes: readonly MembershipChange[]): Promise<void> {
    for (const change of changes) {
      const { audience, user } = change;
      const members = this.#audiences.get(audience) ?? new Map<string, Membership>();
      this.#audiences.set(audience, members);
      const after = changed(members.get(user), change);
      if (after === null) continue;
      members.set(user, after);
      if (after.present) this.#known.add(audience);
    }
  }

  async members(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    return this.#page(audience, after, { max, isMeant: () => true });
  }

  async askedForPush(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    return this.#page(audience, after, { max, isMeant: ({ notify }) => notify });
  }

  #page(
    audience: AudienceKey,
    after: string | null,
    { max, isMeant }: { max: number; isMeant: (membership: Membership) => boolean },
  ): MemberPage {
    const present = [...(this.#audiences.get(audience) ?? [])].filter(([, membership]) => membership.present);
    const all = present.filter(([, membership]) => isMeant(membership));
    const rest = all.filter(([user]) => after === null || byBytes(user, after) > 0);
    rest.sort(([a], [b]) => byBytes(a, b));
    const members = rest.slice(0, max).map(([user, { notify }]) => ({ user, notify }));
    return { members, next: rest.length > max ? (members.at(-1)?.user ?? null) : null };
  }

  async count(audience: AudienceKey): Promise<number> {
    return [...(this.#audiences.get(audience)?.values() ?? [])].filter(({ present }) => present).length;
  }

  async membership(audience: AudienceKey, user: string): Promise<Membership | null> {
    return this.#audiences.get(audience)?.get(user) ?? null;
  }

  async memberships(places: readonly PlaceInAudience[]): Promise<(Membership | null)[]> {
    return places.map(({ audience, user }) => this.#audiences.get(audience)?.get(user) ?? null);
  }

  async isKnown(audience: AudienceKey): Promise<boolean> {
    return this.#known.has(audience);
  }

  async audiencesOf(person: PersonKey, above: number, after: string | null): Promise<AudiencesPage> {
    const found: string[] = [];
    for (const [key, members] of this.#audiences) {
      const { tenant, audience } = splitAudienceKey(key);
      const users = [...members].filter(([, { present }]) => present).map(([user]) => personKey(tenant, user));
      if (users.length > above && users.includes(person) && (after === null || byBytes(audience, after) > 0)) {
        found.push(audience);
      }
    }
    found.sort(byBytes);
    const audiences = found.slice(0, limits.audiencesPageMax);
    return { audiences, next: found.length > audiences.length ? (audiences.at(-1) ?? null) : null };
  }

  async prune(beforeMs: number): Promise<number> {
    let pruned = 0;
    for (const members of this.#audiences.values()) {
      for (const [user, { present, takenMs }] of members) {
        if (present || takenMs >= beforeMs) continue;
        members.delete(user);
        pruned++;
      }
    }
    return pruned;
  }
}

/** As stores order keys. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
