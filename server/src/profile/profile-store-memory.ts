/** Profiles in memory, for tests. */
import type { Clock } from '../base/clock.ts';
import { type PersonKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { normalAddress } from '../base/mailbox.ts';
import { applyChanges } from './apply-changes.ts';
import type { PersonProfile, Profile } from './profile.ts';
import type { ChangeOutcome, PersonChange } from './profile-change.ts';
import type { MemoryProfiles } from './profile-step.ts';
import type { ProfileStore, ProfileWatcher } from './profile-store.ts';
import { changedPeople, ProfileWatchers } from './profile-watchers.ts';

export class ProfileStoreMemory implements ProfileStore, MemoryProfiles {
  readonly #clock: Clock;
  readonly #profiles = new Map<PersonKey, Profile>();
  readonly #watchers = new ProfileWatchers();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async read(people: readonly PersonKey[]): Promise<readonly (Profile | null)[]> {
    return people.map((person) => this.#profiles.get(person) ?? null);
  }

  async change(changes: readonly PersonChange[]): Promise<readonly ChangeOutcome[]> {
    return this.apply(changes);
  }

  apply(changes: readonly PersonChange[]): readonly ChangeOutcome[] {
    const { outcomes, writes } = applyChanges(changes, this.#profiles, this.#clock.now());
    for (const [person, profile] of writes) {
      if (profile === null) this.#profiles.delete(person);
      else this.#profiles.set(person, profile);
    }
    this.#watchers.changed(changedPeople(changes, outcomes));
    return outcomes;
  }

  async findByEmail(tenant: TenantId, email: string): Promise<readonly PersonKey[]> {
    const asked = normalAddress(email);
    return [...this.#profiles]
      .filter(([person, { facts }]) => splitPersonKey(person).tenant === tenant && isSame(facts?.email, asked))
      .map(([person]) => person);
  }

  async page(after: PersonKey | null, max: number): Promise<readonly PersonProfile[]> {
    return [...this.#profiles]
      .map(([person, profile]) => ({ person, profile }))
      .filter(({ person }) => after === null || person > after)
      .sort((a, b) => (a.person < b.person ? -1 : 1))
      .slice(0, max);
  }

  watch(watcher: ProfileWatcher): () => void {
    return this.#watchers.add(watcher);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
  }
}

function isSame(email: string | null | undefined, asked: string): boolean {
  return typeof email === 'string' && normalAddress(email) === asked;
}
