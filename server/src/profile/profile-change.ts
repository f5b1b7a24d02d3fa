/**
 * Changes of a profile, as a pure function: every store applies the same one to what it holds, as one step. Each change
 * gives the profile a revision greater than any before it, across processes, clock steps and erasures (D2, A5).
 */
import type { MuteKind } from '@carillon/contract/mutes.ts';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import type { PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import { type Facts, isMuteOver, type Mute, type Profile } from './profile.ts';

export type ProfileChange =
  /** Replaces the explicit choices, if they still are of this version; 0: never written; null: whatever they are. */
  | { readonly kind: 'choices'; readonly choices: PreferenceChoices; readonly expected: Revision | null }
  | { readonly kind: 'facts'; readonly facts: Facts }
  /** Of one made before, only the end changes. */
  | { readonly kind: 'mute'; readonly mute: Pick<Mute, 'kind' | 'id' | 'untilMs'> }
  | { readonly kind: 'unmute'; readonly mute: Pick<Mute, 'kind' | 'id'> }
  /** So many devices more, or fewer. */
  | { readonly kind: 'devices'; readonly by: number }
  | { readonly kind: 'erase' }
  /** A whole profile as another store had it, with its revision: for moves. */
  | { readonly kind: 'restore'; readonly profile: Profile };

export interface PersonChange {
  readonly person: PersonKey;
  readonly change: ProfileChange;
}

export type ChangeOutcome =
  /** Null: there is none any more. */
  | { readonly kind: 'changed'; readonly profile: Profile | null }
  /** Nothing had to be written. */
  | { readonly kind: 'same'; readonly profile: Profile | null }
  /** The choices are of another version than expected: nothing was written. */
  | { readonly kind: 'stale'; readonly profile: Profile | null }
  /** `limits.mutesMax` are there: nothing was written. */
  | { readonly kind: 'tooManyMutes'; readonly profile: Profile | null };

const noProfile: Profile = { revision: 0, version: 0, choices: {}, facts: null, mutes: [], devices: 0 };

export function changeProfile(current: Profile | null, change: ProfileChange, nowMs: number): ChangeOutcome {
  const before = current ?? noProfile;
  const revision = nextRevision(before.revision, nowMs);
  switch (change.kind) {
    case 'choices':
      if (change.expected !== null && change.expected !== before.version) return { kind: 'stale', profile: current };
      return changed({ ...before, revision, version: revision, choices: change.choices });
    case 'facts':
      return changed({ ...before, revision, facts: change.facts });
    case 'mute':
      return withMute(current, { ...change.mute, sinceMs: nowMs }, { revision, nowMs });
    case 'unmute': {
      const mutes = before.mutes.filter((mute) => !isSame(mute, change.mute));
      if (mutes.length === before.mutes.length) return { kind: 'same', profile: current };
      return changed({ ...before, revision, mutes });
    }
    case 'devices':
      return changed({ ...before, revision, devices: Math.max(0, before.devices + change.by) });
    case 'erase':
      return current === null ? { kind: 'same', profile: null } : { kind: 'changed', profile: null };
    case 'restore':
      return changed(change.profile);
  }
}

function withMute(
  current: Profile | null,
  mute: Mute,
  { revision, nowMs }: { revision: Revision; nowMs: number },
): ChangeOutcome {
  const before = current ?? noProfile;
  const old = before.mutes.find((each) => isSame(each, mute));
  const isOn = old !== undefined && !isMuteOver(old, nowMs);
  if (isOn && old.untilMs === mute.untilMs) return { kind: 'same', profile: current };
  // What is over goes when something comes: nothing else has to look for it.
  const others = before.mutes.filter((each) => each !== old && !isMuteOver(each, nowMs));
  if (others.length >= limits.mutesMax) return { kind: 'tooManyMutes', profile: current };
  const mutes = [...others, isOn ? { ...mute, sinceMs: old.sinceMs } : mute];
  return changed({ ...before, revision, mutes });
}

function changed(profile: Profile): ChangeOutcome {
  return { kind: 'changed', profile };
}

function isSame(a: { kind: MuteKind; id: string }, b: { kind: MuteKind; id: string }): boolean {
  return a.kind === b.kind && a.id === b.id;
}
