/**
 * What one person's profile means for the events that reach them, made once for each version of the profile. Pure: times
 * are those of the event's intake, so that an event decided again after a crash is decided alike.
 */
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { Item } from '../inbox/item.ts';
import type { Profile } from '../profile/profile.ts';
import { type DigestPerson, digestDue, nextDigest } from './digest-clock.ts';
import type { EventFacts } from './event-facts.ts';
import {
  type ActorRelation,
  compileMutes,
  judgeSource,
  noMutes,
  type SourceRules,
  unknownRelation,
  type Verdict,
} from './judge-source.ts';
import { knownZone } from './known-zone.ts';
import { type Quietness, quietAt, quietSpans, stillHolds } from './quiet-hours.ts';
import { preferenceReason, resolvePreference } from './resolve-preference.ts';

const accepted: Verdict = { kind: 'accept', reason: 'default' };

export class RecipientPolicy {
  readonly profile: Profile | null;
  /** Some rule goes by how the actor stands to the person. */
  readonly asksRelations: boolean;
  /** False: a time zone is stored that is not known here, and UTC is taken where it matters (D7). */
  readonly isZoneKnown: boolean;
  readonly #rules: SourceRules | null;
  readonly #timeZone: string | null;
  readonly #spans: ReturnType<typeof quietSpans>;
  #quietness: Quietness | null = null;
  /** The next digest for any time from `fromMs` on. */
  #digest = { fromMs: Number.POSITIVE_INFINITY, atMs: Number.NEGATIVE_INFINITY, lastDate: '' as string | null };

  constructor(profile: Profile | null) {
    this.profile = profile;
    const mutes = profile === null ? noMutes : compileMutes(profile.mutes);
    const relations = profile?.choices.relations;
    this.asksRelations = Object.values(relations ?? {}).some((rule) => rule !== undefined && rule !== 'accept');
    this.#timeZone = profile?.choices.timeZone ?? profile?.facts?.timeZone ?? null;
    this.#spans = quietSpans(profile?.choices.quietHours);
    this.isZoneKnown = this.#spans.length === 0 || knownZone(this.#timeZone).isAsStored;
    this.#rules = mutes === noMutes && !this.asksRelations ? null : { mutes, relations };
  }

  get choices(): PreferenceChoices {
    return this.profile?.choices ?? noChoices;
  }

  /** Whether the inbox takes what this event tells as one of `type` (D2, D3). */
  judge(type: TypeEntry, event: EventFacts, relation: ActorRelation): Verdict {
    const wanted = resolvePreference(this.choices, type, 'inApp');
    if (!wanted.isOn) return { kind: 'drop', reason: preferenceReason(wanted) };
    if (this.#rules === null) return accepted;
    const { actorId, thing, parent } = event;
    const source = { actorId, thing, parent, texts: () => event.texts(), relation };
    return judgeSource(this.#rules, type, source, event.acceptedAtMs);
  }

  /** The same for a row as it stands, whose people may have been muted since: not taken where that holds for all of them. */
  judgeRow(type: TypeEntry, { actors, actorCount, object }: JudgedRow, nowMs: number): Verdict {
    if (this.#rules === null) return accepted;
    const rules = { mutes: this.#rules.mutes, relations: undefined };
    const titles = [object.title, object.parent?.title ?? null];
    const verdicts = (actors.length === 0 ? [nobody] : actors).map(({ id: actorId, name }) => {
      const texts = () => [name, ...titles].filter((text) => text !== null);
      const about = { thing: thingOf(object), parent: thingOf(object.parent) };
      return judgeSource(rules, type, { actorId, ...about, texts, relation: unknownRelation }, nowMs);
    });
    const dropped = verdicts.find(({ reason }) => reason !== 'mutedActor') ?? verdicts[0];
    const isDropped = verdicts.every(({ kind }) => kind === 'drop');
    // Of many people a row names only the newest.
    const hasOthers = dropped?.reason === 'mutedActor' && actorCount > actors.length;
    return isDropped && !hasOthers && dropped !== undefined ? dropped : accepted;
  }

  get hasDigest(): boolean {
    const { digest } = this.choices;
    return digest !== undefined && digest.email !== 'off';
  }

  /** When the next digest is made after `nowMs`; null: the person has none (D10). `lastDate`: of the last that was made. */
  digestAtMs(nowMs: number, lastDate: string | null = null): number | null {
    if (!this.hasDigest) return null;
    const { fromMs, atMs } = this.#digest;
    if (nowMs < fromMs || nowMs >= atMs || lastDate !== this.#digest.lastDate) {
      const plan = nextDigest(this.#digestPerson(lastDate), nowMs);
      this.#digest = { fromMs: nowMs, atMs: plan?.atMs ?? Number.POSITIVE_INFINITY, lastDate };
    }
    return this.#digest.atMs;
  }

  /** The date that a digest is due for now; null: none is. */
  digestDue(nowMs: number, lastDate: string | null): string | null {
    return digestDue(this.#digestPerson(lastDate), nowMs);
  }

  #digestPerson(lastDate: string | null): DigestPerson {
    return { digest: this.choices.digest, timeZone: this.#timeZone, lastDate };
  }

  /** When the quiet hours end that `nowMs` is in; null: it is not in any (D7). */
  quietUntilMs(nowMs: number): number | null {
    if (this.#spans.length === 0) return null;
    if (this.#quietness === null || !stillHolds(this.#quietness, nowMs)) {
      this.#quietness = quietAt(this.#spans, this.#timeZone, nowMs);
    }
    return this.#quietness.untilMs;
  }
}

type JudgedRow = Pick<Item, 'actors' | 'actorCount' | 'object'>;

const nobody = { id: '', name: null };

function thingOf(object: { readonly kind: string; readonly id: string } | null): string {
  return object === null || object.kind === '' ? '' : `${object.kind}:${object.id}`;
}

const noChoices: PreferenceChoices = {};

/** Of a person who has no profile. */
export const noWishes: RecipientPolicy = new RecipientPolicy(null);
