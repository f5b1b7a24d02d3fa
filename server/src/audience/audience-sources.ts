/** Where the members of each kind of audience are: with the app, or in our own subscriptions. */
import { type AudienceKey, splitAudienceKey } from '../base/ids.ts';
import type { AudienceSource, MemberPage } from './audience-source.ts';

export class AudienceSources implements AudienceSource {
  readonly #own: AudienceSource;
  readonly #byKind: ReadonlyMap<string, AudienceSource>;

  /** `byKind`: those that are not our own. */
  constructor(own: AudienceSource, byKind: ReadonlyMap<string, AudienceSource>) {
    this.#own = own;
    this.#byKind = byKind;
  }

  members(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    const source = this.#byKind.get(kindOf(splitAudienceKey(audience).audience)) ?? this.#own;
    return source.members(audience, after, max);
  }
}

/** `followers` of `followers:u1`; the whole name where it has no kind. */
export function kindOf(audience: string): string {
  const at = audience.indexOf(':');
  return at < 0 ? audience : audience.slice(0, at);
}
