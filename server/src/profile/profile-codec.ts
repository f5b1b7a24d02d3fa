/** A profile as it lies on disk: the number of the format, then JSON. A release reads every format before its own. */
import type { MuteKind } from '@carillon/contract/mutes.ts';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import type { Facts, Mute, Profile } from './profile.ts';

type MuteRow = [kind: MuteKind, id: string, sinceMs: number, untilMs: number | null];

interface Stored {
  readonly revision: number;
  readonly version: number;
  readonly choices: PreferenceChoices;
  readonly facts: Facts | null;
  readonly mutes: readonly MuteRow[];
}

const format = '1';

export function encodeProfile({ mutes, ...profile }: Profile): string {
  const stored: Stored = { ...profile, mutes: encodeMutes(mutes) };
  return format + JSON.stringify(stored);
}

/** Throws for a format of a later release. */
export function decodeProfile(text: string): Profile {
  if (text[0] !== format) throw new Error(`a profile is stored in format ${text[0]}, which this release cannot read`);
  const { mutes, ...profile } = JSON.parse(text.slice(1)) as Stored;
  return { ...profile, mutes: decodeMutes(mutes) };
}

export function encodeMutes(mutes: readonly Mute[]): MuteRow[] {
  return mutes.map(({ kind, id, sinceMs, untilMs }) => [kind, id, sinceMs, untilMs]);
}

export function decodeMutes(rows: readonly MuteRow[]): Mute[] {
  return rows.map(([kind, id, sinceMs, untilMs]) => ({ kind, id, sinceMs, untilMs }));
}
