/**
 * Profiles of the people that a shard decides about, in memory: one read of the store for all who are not known yet, and
 * none for those who are, with and without a profile. A change makes its person unknown again, as the store's watch tells
 * it: at once on the embedded engine, within `limits.profileStaleMs` on a cluster (D3).
 *
 * What has been loaded stays readable until the next `load`, also when it is changed meanwhile, so that a micro-batch is
 * decided on what it has loaded. So each executor has a cache of its own.
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
  /** The last load that was for this person. */
  usedAt: number;
  /** Something changed since it was read: the next load reads it again. */
  isOutdated: boolean;
}

/** One read of the store under way: who changed meanwhile, all of them if `all`. */
interface Reading {
  readonly changed: Set<PersonKey>;
  all: boolean;
}

/** What stays of a full memory: letting go in larger steps means looking for the idlest less often. */
const shareKept = 0.9;

export class ProfileCache implements ProfileWatcher {
  readonly #store: ProfileStore;
  readonly #weightMax: number;
  readonly #entries = new Map<PersonKey, Entry>();
  readonly #readings = new Set<Reading>();
  readonly #stopWatching: () => void;
  #weight = 0;
  /** Counts calls of `load`: who was used when. */
  #turn = 0;

  constructor(store: ProfileStore, weightMax: number = limits.cachedProfileWeightMax) {
    this.#store = store;
    this.#weightMax = weightMax;
    this.#stopWatching = store.watch(this);
  }

  /** Resolves when all of them can be got, at least until the next call. Keys may come repeatedly. */
  async load(keys: readonly PersonKey[]): Promise<void> {
    const turn = ++this.#turn;
    const cold = new Set<PersonKey>();
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry === undefined || entry.isOutdated) cold.add(key);
      else entry.usedAt = turn;
    }
    telemetry.add(hits, keys.length - cold.size);
    telemetry.add(misses, cold.size);
    if (cold.size > 0) await this.#read([...cold], turn);
    if (this.#weight > this.#weightMax) this.#letGo(turn);
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

  async #read(keys: readonly PersonKey[], usedAt: number): Promise<void> {
    const reading: Reading = { changed: new Set(), all: false };
    this.#readings.add(reading);
    try {
      const profiles = await this.#store.read(keys);
      for (const [at, key] of keys.entries()) {
        const isOutdated = reading.all || reading.changed.has(key);
        this.#put(key, profiles[at] ?? null, { usedAt, isOutdated });
      }
    } finally {
      this.#readings.delete(reading);
    }
  }

  #put(key: PersonKey, profile: Profile | null, use: Pick<Entry, 'usedAt' | 'isOutdated'>): void {
    const weight = profileWeight(profile);
    this.#weight += weight - (this.#entries.get(key)?.weight ?? 0);
    this.#entries.set(key, { profile, weight, ...use });
  }

  /** Those who were idle longest; nobody whom this load was for. */
  #letGo(turn: number): void {
    const idlest = [...this.#entries].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [key, { weight, usedAt }] of idlest) {
      if (this.#weight <= shareKept * this.#weightMax || usedAt === turn) return;
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
