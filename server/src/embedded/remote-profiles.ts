/** Profiles as the sockets' thread sees them: asked of the store's thread, which also tells who has changed. */
import type { PersonKey, TenantId } from '../base/ids.ts';
import type { PersonProfile, Profile } from '../profile/profile.ts';
import type { ChangeOutcome, PersonChange } from '../profile/profile-change.ts';
import type { ProfileStore, ProfileWatcher } from '../profile/profile-store.ts';
import { ProfileWatchers } from '../profile/profile-watchers.ts';
import type { Caller } from './channel.ts';

export class RemoteProfiles implements ProfileStore {
  readonly #caller: Caller;
  readonly #watchers = new ProfileWatchers();

  constructor(caller: Caller) {
    this.#caller = caller;
    caller.onNotice<PersonKey[]>('profilesChanged', (people) => this.#watchers.changed(people));
  }

  read(people: readonly PersonKey[]): Promise<readonly (Profile | null)[]> {
    return this.#caller.call('profilesRead', [people]);
  }

  change(changes: readonly PersonChange[]): Promise<readonly ChangeOutcome[]> {
    return this.#caller.call('profilesChange', [changes]);
  }

  findByEmail(tenant: TenantId, email: string): Promise<readonly PersonKey[]> {
    return this.#caller.call('profilesFindByEmail', [tenant, email]);
  }

  page(after: PersonKey | null, max: number): Promise<readonly PersonProfile[]> {
    return this.#caller.call('profilesPage', [after, max]);
  }

  watch(watcher: ProfileWatcher): () => void {
    return this.#watchers.add(watcher);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
  }
}
