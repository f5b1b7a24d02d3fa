/**
 * Profiles of the people that a shard decides about, in memory: one read of the store for all who are not known yet, and
 * none for those who are, with and without a profile. A change makes its person unknown again, as the store's watch tells
 * it: at once on the embedded engine, within `limits.profileStaleMs` on a cluster (D3).
 *
 * What has been loaded stays readable until the next `load`, also when it is changed or let go meanwhile, so that a
 * micro-batch is decided on what it has loaded.
 */
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { Profile } from './profile.ts';
import type { ProfileStore, ProfileWatcher } from './profile-store.ts';

const hits = series('carillon_cache_reads_total', { cache: 'profiles', result: 'hit' });
const misses = series('carillon_cache_reads_total', { cache: 'profiles', result: 'miss' });

interface Entry {
  readonly profile: Profile | null;
  readonly weight: number;
  /** Something changed since it was read: the next load reads it again. */
  isOutdated: boolean;
}

/** One read of the store under way: who changed meanwhile, all of them if `all`. */
interface Reading {
  readonly changed: Set<PersonKey>;
  all: boolean;
}

export class ProfileCache implements ProfileWatcher {
  readonly #store: ProfileStore;
  readonly #weightMax: number;
  /** Those loaded longest ago first. */
  readonly #entries = new Map<PersonKey, Entry>();
  readonly #readings = new Set<Reading>();
  readonly #stopWatching: () => void;
  #weight = 0;

  constructor(store: ProfileStore, weightMax: number = limits.cachedProfileWeightMax) {
    this.#store = store;
    this.#weightMax = weightMax;
    this.#stopWatching = store.watch(this);
  }

  /** Resolves when all of them can be got, at least until the next call. Keys may come repeatedly. */
  async load(keys: readonly PersonKey[]): Promise<void> {
    const cold = new Set<PersonKey>();
    for (const key of keys) if (!this.#touch(key)) cold.add(key);
    telemetry.add(hits, keys.length - cold.size);
    telemetry.add(misses, cold.size);
    if (cold.size > 0) await this.#read([...cold]);
    this.#letGo(new Set(keys).size);
  }

  /** Null: has no profile. Throws for whom was not loaded: that would be taken for nobody's wish. */
  get(key: PersonKey): Profile | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) throw new Error('a profile is asked for that was not loaded');
    return entry.profile;
  }

  changed(people: readonly PersonKey[]): void {
    for (const person of people) {
      const entry = this.#entries.get(person);
      if (entry !== undefined) entry.isOutdated = true;
      for (const reading of this.#readings) reading.changed.add(person);
    }
  }

  missed(): void {
    for (const entry of this.#entries.values()) entry.isOutdated = true;
    for (const reading of this.#readings) reading.all = true;
  }

  close(): void {
    this.#stopWatching();
    this.#entries.clear();
    this.#weight = 0;
  }

  /** Whether it is known. Those that are become the newest. */
  #touch(key: PersonKey): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.isOutdated) return false;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return true;
  }

  async #read(keys: readonly PersonKey[]): Promise<void> {
    const reading: Reading = { changed: new Set(), all: false };
    this.#readings.add(reading);
    try {
      const profiles = await this.#store.read(keys);
      for (const [at, key] of keys.entries()) {
        const isOutdated = reading.all || reading.changed.has(key);
        this.#put(key, profiles[at] ?? null, isOutdated);
      }
    } finally {
      this.#readings.delete(reading);
    }
  }

  #put(key: PersonKey, profile: Profile | null, isOutdated: boolean): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
    const weight = profileWeight(profile);
    this.#entries.set(key, { profile, weight, isOutdated });
    this.#weight += weight;
  }

  /** `loaded` people were loaded just now, and stay. */
  #letGo(loaded: number): void {
    for (const [key, { weight }] of this.#entries) {
      if (this.#weight <= this.#weightMax || this.#entries.size <= loaded) return;
      this.#entries.delete(key);
      this.#weight -= weight;
    }
  }
}

/** About what a profile takes in memory, in units of one that is not there. */
export function profileWeight(profile: Profile | null): number {
  if (profile === null) return 1;
  const { mutes, choices } = profile;
  const names = Object.keys(choices.types ?? {}).length + Object.keys(choices.categories ?? {}).length;
  return 6 + mutes.length + names;
}
