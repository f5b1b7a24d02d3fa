/**
 * Whether a person wants to hear of what an event is about and who did it (D3), before anything is written. The first of
 * these that says anything decides:
 *
 *   1. a critical type: taken, whatever is muted
 *   2. the actor is muted: dropped
 *   3. the thing, or what it belongs to (the thread), is muted: dropped
 *   4. a muted word stands in the actor's name, a title or the event's own texts: dropped
 *   5. rules for people by relation: the strictest that applies drops, or filters into a view of its own
 *
 * Everything that reads mutes reads them through this, so that list, counts, stream, push and email cannot differ [BC-29].
 */
import type { Relations } from '@carillon/contract/preferences.ts';
import type { Reason } from '@carillon/contract/reasons.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { Mute } from '../profile/profile.ts';
import { foldText, type MutedWord, mutedWord, saysWord } from './muted-words.ts';

/** Whether the inbox takes what an event tells: shows it, keeps it apart, or never has it. */
export interface Verdict {
  readonly kind: 'accept' | 'filter' | 'drop';
  readonly reason: Reason;
}

export interface EventSource {
  /** Empty where the app itself speaks. */
  readonly actorId: string;
  /** `comment:c1`, and what it belongs to, `post:p1`; empty where there is none. */
  readonly thing: string;
  readonly parent: string;
  /** Everything that people wrote in it; asked for only where a word is muted. */
  texts(): readonly string[];
  readonly relation: ActorRelation;
}

/** How the actor stands to the recipient; null: nobody has said. */
export interface ActorRelation {
  /** The recipient follows the actor. */
  readonly isFollowed: boolean | null;
  /** The actor follows the recipient. */
  readonly isFollowing: boolean | null;
  readonly isNewAccount: boolean | null;
}

export const unknownRelation: ActorRelation = { isFollowed: null, isFollowing: null, isNewAccount: null };

/** Mutes made ready to be looked up: once for each version of a profile. */
export interface MuteRules {
  readonly actors: ReadonlyMap<string, UntilMs>;
  readonly objects: ReadonlyMap<string, UntilMs>;
  readonly words: readonly { readonly word: MutedWord; readonly untilMs: UntilMs }[];
}

/** Null: for good. */
type UntilMs = number | null;

export const noMutes: MuteRules = { actors: new Map(), objects: new Map(), words: [] };

export function compileMutes(mutes: readonly Mute[]): MuteRules {
  if (mutes.length === 0) return noMutes;
  const ofKind = (kind: Mute['kind']) => mutes.filter((mute) => mute.kind === kind);
  const toMap = (some: readonly Mute[]) => new Map(some.map(({ id, untilMs }) => [id, untilMs] as const));
  const words = ofKind('word').flatMap(({ id, untilMs }) => {
    const word = mutedWord(id);
    return word === null ? [] : [{ word, untilMs }];
  });
  return { actors: toMap(ofKind('actor')), objects: toMap(ofKind('object')), words };
}

export interface SourceRules {
  readonly mutes: MuteRules;
  readonly relations: Relations | undefined;
}

const accepted: Verdict = { kind: 'accept', reason: 'default' };
const acceptedCritical: Verdict = { kind: 'accept', reason: 'critical' };
const mutedActor: Verdict = { kind: 'drop', reason: 'mutedActor' };
const mutedObject: Verdict = { kind: 'drop', reason: 'mutedObject' };
const saysMuted: Verdict = { kind: 'drop', reason: 'mutedWord' };

export function judgeSource(
  rules: SourceRules,
  type: Pick<TypeEntry, 'critical' | 'fromApp'>,
  source: EventSource,
  nowMs: number,
): Verdict {
  if (type.critical) return acceptedCritical;
  const { actors, objects, words } = rules.mutes;
  if (actors.size > 0 && source.actorId !== '' && holds(actors.get(source.actorId), nowMs)) return mutedActor;
  if (objects.size > 0 && (isMuted(objects, source.thing, nowMs) || isMuted(objects, source.parent, nowMs))) {
    return mutedObject;
  }
  if (words.length > 0 && saysMutedWord(words, source.texts(), nowMs)) return saysMuted;
  if (rules.relations === undefined || type.fromApp || source.actorId === '') return accepted;
  return byRelation(rules.relations, source.relation);
}

function holds(untilMs: UntilMs | undefined, nowMs: number): boolean {
  return untilMs === null || (untilMs !== undefined && untilMs > nowMs);
}

/** A thing may be muted as `post:p1`, or by its id alone. */
function isMuted(objects: MuteRules['objects'], thing: string, nowMs: number): boolean {
  if (thing === '') return false;
  return holds(objects.get(thing), nowMs) || holds(objects.get(thing.slice(thing.indexOf(':') + 1)), nowMs);
}

function saysMutedWord(words: MuteRules['words'], texts: readonly string[], nowMs: number): boolean {
  const current = words.filter(({ untilMs }) => holds(untilMs, nowMs));
  if (current.length === 0) return false;
  // A word never reaches from one text into the next.
  const folded = texts.map(foldText).join('\n');
  return current.some(({ word }) => saysWord(folded, word));
}

function byRelation(relations: Relations, { isFollowed, isFollowing, isNewAccount }: ActorRelation): Verdict {
  const rules = [
    isFollowed === false ? relations.notFollowed : undefined,
    isFollowing === false ? relations.notFollowing : undefined,
    isNewAccount === true ? relations.newAccounts : undefined,
  ];
  if (rules.includes('drop')) return { kind: 'drop', reason: 'relation' };
  return rules.includes('filter') ? { kind: 'filter', reason: 'relation' } : accepted;
}
