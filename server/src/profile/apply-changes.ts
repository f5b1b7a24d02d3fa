/** Applies many changes to what people have, in their order: what a store does between reading and writing. */
import type { PersonKey } from '../base/ids.ts';
import type { Profile } from './profile.ts';
import { type ChangeOutcome, changeProfile, type PersonChange } from './profile-change.ts';

export interface AppliedChanges {
  readonly outcomes: readonly ChangeOutcome[];
  /** What must be written: of each person changed, the last profile; null where it was erased. */
  readonly writes: ReadonlyMap<PersonKey, Profile | null>;
}

/** `stored` has an entry for every person of the changes who has a profile. */
export function applyChanges(
  changes: readonly PersonChange[],
  stored: ReadonlyMap<PersonKey, Profile>,
  nowMs: number,
): AppliedChanges {
  const writes = new Map<PersonKey, Profile | null>();
  const outcomes = changes.map(({ person, change }) => {
    const written = writes.get(person);
    const current = written === undefined ? (stored.get(person) ?? null) : written;
    const outcome = changeProfile(current, change, nowMs);
    if (outcome.kind === 'changed') writes.set(person, outcome.profile);
    return outcome;
  });
  return { outcomes, writes };
}
