/** What a person wants, and how they can be reached, as it stands for the micro-batch at hand. */
import { series, telemetry } from '../base/telemetry.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import { type CapRules, usualCaps } from '../decide/caps.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import { type ActorRelation, unknownRelation, type Verdict } from '../decide/judge-source.ts';
import { noWishes, RecipientPolicy } from '../decide/recipient-policy.ts';
import type { Profile } from '../profile/profile.ts';
import { noReach, type Reach } from './reach.ts';

const unknownZones = series('carillon_unknown_zones_total', {});

export class Wishes {
  policy: RecipientPolicy = noWishes;
  reach: Reach = noReach;
  capRules: CapRules = usualCaps;
  /** At the app, just now. */
  isLooking = false;
  /** How actors of the micro-batch stand to the person, where a rule asks for it. */
  readonly #relations = new Map<string, ActorRelation>();

  useProfile(profile: Profile | null): void {
    if (this.policy.profile === profile) return;
    this.policy = profile === null ? noWishes : new RecipientPolicy(profile);
    if (!this.policy.isZoneKnown) telemetry.add(unknownZones);
  }

  /** A rule goes by how this actor stands to the person, which has not been looked up yet. */
  lacksRelation(actorId: string): boolean {
    return this.policy.asksRelations && actorId !== '' && !this.#relations.has(actorId);
  }

  knowRelation(actorId: string, relation: ActorRelation): void {
    this.#relations.set(actorId, relation);
  }

  judge(type: TypeEntry, event: EventFacts): Verdict {
    return this.policy.judge(type, event, this.#relations.get(event.actorId) ?? unknownRelation);
  }

  /** The micro-batch is done: people may stand to each other in another way by the next. */
  forgetRelations(): void {
    if (this.#relations.size > 0) this.#relations.clear();
  }
}
