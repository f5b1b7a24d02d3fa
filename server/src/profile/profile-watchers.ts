/** Those who want to hear of changed profiles, for the stores that tell them. */
import type { PersonKey } from '../base/ids.ts';
import type { ChangeOutcome, PersonChange } from './profile-change.ts';
import type { ProfileWatcher } from './profile-store.ts';

export class ProfileWatchers implements ProfileWatcher {
  readonly #watchers = new Set<ProfileWatcher>();

  /** Answers how to stop. */
  add(watcher: ProfileWatcher): () => void {
    // Of its own, so that one who watches twice can stop once.
    const { changed, missed } = watcher;
    const entry: ProfileWatcher = { changed: changed.bind(watcher), missed: missed.bind(watcher) };
    this.#watchers.add(entry);
    return () => this.#watchers.delete(entry);
  }

  changed(people: readonly PersonKey[]): void {
    if (people.length > 0) for (const watcher of this.#watchers) watcher.changed(people);
  }

  missed(): void {
    for (const watcher of this.#watchers) watcher.missed();
  }

  clear(): void {
    this.#watchers.clear();
  }
}

/** The people whose profile is another now, each once. */
export function changedPeople(changes: readonly PersonChange[], outcomes: readonly ChangeOutcome[]): PersonKey[] {
  const people = changes.filter((_, at) => outcomes[at]?.kind === 'changed').map(({ person }) => person);
  return [...new Set(people)];
}
