/** How actors stand to recipients, for rules that go by it (D3). Only asked for people who have such rules. */
import type { AudienceStore } from '../audience/audience-store.ts';
import { audienceKey, type PersonKey, personKey, splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { ActorRelation } from '../decide/judge-source.ts';
import type { ProfileStore } from '../profile/profile-store.ts';

export interface RelationReader {
  /** `nowMs`: when the event was accepted. */
  of(person: PersonKey, actorId: string, nowMs: number): Promise<ActorRelation>;
}

/** Where our own subscriptions say who follows whom: audiences `<kind>:<whom>`. */
export interface Followers {
  readonly audiences: Pick<AudienceStore, 'membership'>;
  readonly kind: string;
}

/** From what the app has said of the actor, and from who follows whom. */
export class StoredRelations implements RelationReader {
  readonly #profiles: Pick<ProfileStore, 'read'>;
  readonly #followers: Followers | null;

  /** `followers`: null where we do not keep who follows whom. */
  constructor(profiles: Pick<ProfileStore, 'read'>, followers: Followers | null) {
    this.#profiles = profiles;
    this.#followers = followers;
  }

  async of(person: PersonKey, actorId: string, nowMs: number): Promise<ActorRelation> {
    const { tenant, user } = splitPersonKey(person);
    const [isFollowed, isFollowing, [profile]] = await Promise.all([
      this.#follows(tenant, { follower: user, followed: actorId }),
      this.#follows(tenant, { follower: actorId, followed: user }),
      this.#profiles.read([personKey(tenant, actorId)]),
    ]);
    const createdAtMs = profile?.facts?.createdAtMs ?? null;
    const isNewAccount = createdAtMs === null ? null : createdAtMs > nowMs - limits.newAccountMs;
    return { isFollowed, isFollowing, isNewAccount };
  }

  async #follows(
    tenant: string,
    { follower, followed }: { follower: string; followed: string },
  ): Promise<boolean | null> {
    if (this.#followers === null) return null;
    const { audiences, kind } = this.#followers;
    const membership = await audiences.membership(audienceKey(tenant, `${kind}:${followed}`), follower);
    return membership?.present ?? false;
  }
}

/** Null where follows are not kept, or the app itself is asked for members of that kind. */
export function followersOf(
  audiences: Pick<AudienceStore, 'membership'>,
  { followersKind: kind, sources }: { readonly followersKind: string; readonly sources: readonly { kind: string }[] },
): Followers | null {
  return kind === '' || sources.some((source) => source.kind === kind) ? null : { audiences, kind };
}
