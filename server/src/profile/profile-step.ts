/** What the stores of profiles offer, each in its own technology, to what lies beside profiles and changes with them. */
import type { ClassicLevel } from 'classic-level';
import type { Queries } from '../base/database.ts';
import type { ChangeOutcome, PersonChange } from './profile-change.ts';

/** The embedded engine's LevelDB, or, in tests, a plain one. */
export type ProfileDatabase = ClassicLevel<string, string> & { readonly isBroken?: boolean; mend?(): Promise<void> };
export type ProfileBatch = ReturnType<ProfileDatabase['batch']>;

export interface ProfileStep<Result> {
  readonly changes: readonly PersonChange[];
  readonly result: Result;
}

export interface LevelStep<Result> extends ProfileStep<Result> {
  /** What is written in the same batch; null: nothing. */
  readonly write: ((batch: ProfileBatch) => void) | null;
}

export interface MemoryProfiles {
  /** At once. */
  apply(changes: readonly PersonChange[]): readonly ChangeOutcome[];
}

export interface LevelProfiles {
  /** Nothing else changes while `plan` looks, and all is one write. */
  changeWith<Result>(plan: () => Promise<LevelStep<Result>>): Promise<Result>;
}

export interface PostgresProfiles {
  /**
   * In one transaction. Whatever else changes something by one of these names, people among them, waits; `plan` names
   * changes of these people only.
   */
  changeWith<Result>(
    names: readonly string[],
    plan: (queries: Queries) => Promise<ProfileStep<Result>>,
  ): Promise<Result>;
}
