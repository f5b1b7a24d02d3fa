/**
 * What is known of one person beside the inbox (D2, D3, D7, A3): what the app says, what the person chose, whom and what
 * they muted. Only explicit choices are kept, so that defaults may change and types be added without touching anybody.
 */
import type { MuteKind } from '@carillon/contract/mutes.ts';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import type { PersonKey, Revision } from '../base/ids.ts';

/** What the app says of a person: it replaces all of it at once. */
export interface Facts {
  /** BCP 47, canonical. */
  readonly locale: string | null;
  /** IANA name, canonical. */
  readonly timeZone: string | null;
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** When the account was made, for rules about new accounts. */
  readonly createdAtMs: number | null;
  /** The account may not be used for now: nothing is sent to it. */
  readonly suspended: boolean;
}

/** One thing a person does not want to hear of. `id`: of the actor or object, or the word, folded for comparison. */
export interface Mute {
  readonly kind: MuteKind;
  readonly id: string;
  readonly sinceMs: number;
  /** Counts until then; null: for good. */
  readonly untilMs: number | null;
}

export interface Profile {
  /** Rises with every change of anything here. Does not begin anew after an erasure. */
  readonly revision: Revision;
  /** The revision that last changed `choices`: the `ETag` of the preferences. 0 if they were never written. */
  readonly version: Revision;
  readonly choices: PreferenceChoices;
  /** Null if the app never said any. */
  readonly facts: Facts | null;
  /** In the order they were made, each (kind, id) once. Some may be over. */
  readonly mutes: readonly Mute[];
  /** How many devices can be pushed to; they lie in the DeviceStore, which alone changes this. */
  readonly devices: number;
}

export interface PersonProfile {
  readonly person: PersonKey;
  readonly profile: Profile;
}

export function isMuteOver({ untilMs }: Mute, nowMs: number): boolean {
  return untilMs !== null && untilMs <= nowMs;
}
