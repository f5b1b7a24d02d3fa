/**
 * Profiles in LevelDB, under a prefix of a database that others use too: `<prefix><person>` holds the whole profile, so
 * that reading one is one get and writing one is atomic. LevelDB's own filter answers for most people who have none;
 * while nobody has one, nothing is asked at all.
 *
 * Changes go one after another, read and written with a sync each; only this store writes its keys. A database that takes
 * no writes since one has failed is mended first: there may be nobody else who writes.
 */
import type { ClassicLevel } from 'classic-level';
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { applyChanges } from './apply-changes.ts';
import type { PersonProfile, Profile } from './profile.ts';
import type { ChangeOutcome, PersonChange } from './profile-change.ts';
import { decodeProfile, encodeProfile } from './profile-codec.ts';
import type { ProfileStore, ProfileWatcher } from './profile-store.ts';
import { changedPeople, ProfileWatchers } from './profile-watchers.ts';

/** The embedded engine's LevelDB, or, in tests, a plain one. */
export type ProfileDatabase = ClassicLevel<string, string> & { readonly isBroken?: boolean; mend?(): Promise<void> };

export class ProfileStoreLevel implements ProfileStore {
  readonly #db: ProfileDatabase;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #watchers = new ProfileWatchers();
  #changing: Promise<unknown> = Promise.resolve();
  /** Whether a key may be there; null until looked. */
  #hasAny: boolean | null = null;

  /** The database must have string keys and values, is the caller's to close, and `prefix` ends with a slash. */
  constructor(db: ProfileDatabase, prefix: string, clock: Clock) {
    this.#db = db;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  async read(people: readonly PersonKey[]): Promise<readonly (Profile | null)[]> {
    if (this.#hasAny === null) {
      const [first] = await this.page(null, 1);
      // Meanwhile a write may have said so.
      this.#hasAny ??= first !== undefined;
    }
    return people.map((person) => this.#get(person));
  }

  change(changes: readonly PersonChange[]): Promise<readonly ChangeOutcome[]> {
    const turn = this.#changing.then(() => this.#change(changes));
    this.#changing = turn.catch(() => {});
    return turn;
  }

  async page(after: PersonKey | null, max: number): Promise<readonly PersonProfile[]> {
    const found: PersonProfile[] = [];
    const end = `${this.#prefix.slice(0, -1)}0`; // what follows the slash
    for await (const [key, text] of this.#db.iterator({ gt: this.#prefix + (after ?? ''), lt: end, limit: max })) {
      found.push({ person: key.slice(this.#prefix.length) as PersonKey, profile: decodeProfile(text) });
    }
    return found;
  }

  watch(watcher: ProfileWatcher): () => void {
    return this.#watchers.add(watcher);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    await this.#changing;
  }

  async #change(changes: readonly PersonChange[]): Promise<readonly ChangeOutcome[]> {
    if (this.#db.isBroken) await this.#db.mend?.();
    const people = [...new Set(changes.map(({ person }) => person))];
    const profiles = await this.read(people);
    const stored = new Map<PersonKey, Profile>();
    for (const [at, person] of people.entries()) {
      const profile = profiles[at];
      if (profile) stored.set(person, profile);
    }
    const { outcomes, writes } = applyChanges(changes, stored, this.#clock.now());
    if (writes.size > 0) await this.#write(writes);
    this.#watchers.changed(changedPeople(changes, outcomes));
    return outcomes;
  }

  async #write(writes: ReadonlyMap<PersonKey, Profile | null>): Promise<void> {
    // Before the write, which readers may see before it has been answered.
    this.#hasAny = true;
    const batch = this.#db.batch();
    for (const [person, profile] of writes) {
      if (profile === null) batch.del(this.#prefix + person);
      else batch.put(this.#prefix + person, encodeProfile(profile));
    }
    await batch.write({ sync: true });
  }

  #get(person: PersonKey): Profile | null {
    const text = this.#hasAny ? this.#db.getSync(this.#prefix + person) : undefined;
    return text === undefined ? null : decodeProfile(text);
  }
}
