/** How actors stand to recipients, for rules that go by it (D3). Only asked for people who have such rules. */
import { type PersonKey, personKey, splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { ActorRelation } from '../decide/judge-source.ts';
import type { ProfileStore } from '../profile/profile-store.ts';

export interface RelationReader {
  /** `nowMs`: when the event was accepted. */
  of(person: PersonKey, actorId: string, nowMs: number): Promise<ActorRelation>;
}

/** From what the app has said of the actor. */
export class StoredRelations implements RelationReader {
  readonly #profiles: Pick<ProfileStore, 'read'>;

  constructor(profiles: Pick<ProfileStore, 'read'>) {
    this.#profiles = profiles;
  }

  async of(person: PersonKey, actorId: string, nowMs: number): Promise<ActorRelation> {
    const { tenant } = splitPersonKey(person);
    const [profile] = await this.#profiles.read([personKey(tenant, actorId)]);
    const createdAtMs = profile?.facts?.createdAtMs ?? null;
    const isNewAccount = createdAtMs === null ? null : createdAtMs > nowMs - limits.newAccountMs;
    return { isFollowed: null, isFollowing: null, isNewAccount };
  }
}
