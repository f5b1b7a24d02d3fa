/**
 * Port: what is known of people beside their inboxes.
 *
 * Atomicity: `change` applies each of its changes wholly or not at all, on what the person has at that moment, whoever
 *   else writes: two changes to one person happen one after the other, and no change is lost. Of one call, those of one
 *   person are applied in their order; after a failure some of the people may have theirs and others not.
 * Durability: `change` resolves when the changes would survive the loss of the process (a cluster: of one machine).
 * Reads see whole profiles, and everything that was changed before they began.
 * Watching: each change is told to every watcher of every process within `limits.profileStaleMs` of the change; where
 *   that cannot be promised any more, the watcher is told `missed` by then, and again for as long as it lasts.
 */
import type { PersonKey, TenantId } from '../base/ids.ts';
import type { PersonProfile, Profile } from './profile.ts';
import type { ChangeOutcome, PersonChange } from './profile-change.ts';

/** Both are synchronous and must not throw. */
export interface ProfileWatcher {
  /** These people's profiles have changed, or were erased. May come repeatedly, and for what was read already. */
  changed(people: readonly PersonKey[]): void;
  /** Any profile may have changed. */
  missed(): void;
}

export interface ProfileStore {
  /** In the order of the people asked for; null for those who have none, which costs next to nothing. */
  read(people: readonly PersonKey[]): Promise<readonly (Profile | null)[]>;
  /** In the order of the changes, what became of each. */
  change(changes: readonly PersonChange[]): Promise<readonly ChangeOutcome[]>;
  /** Who has this email address, in whatever case, in the tenant; in no order. */
  findByEmail(tenant: TenantId, email: string): Promise<readonly PersonKey[]>;
  /** People that have a profile, each once, in a stable order of the store's own, for moves. */
  page(after: PersonKey | null, max: number): Promise<readonly PersonProfile[]>;
  /** Answers how to stop. */
  watch(watcher: ProfileWatcher): () => void;
  close(): Promise<void>;
}
