/**
 * Profiles in LevelDB, under a prefix of a database that others use too: `<prefix><person>` holds the whole profile, so
 * that reading one is one get and writing one is atomic. Who has an email address lies beside it, by a blind index:
 * `<prefix without its slash>-email/<index> NUL <person>`. LevelDB's own filter answers for most people who have none;
 * while nobody has one, nothing is asked at all.
 *
 * Changes go one after another, read and written with a sync each; only this store writes its keys. A database that takes
 * no writes since one has failed is mended first: there may be nobody else who writes.
 */
import type { Clock } from '../base/clock.ts';
import type { PersonKey, TenantId } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { applyChanges } from './apply-changes.ts';
import type { PersonProfile, Profile } from './profile.ts';
import type { ChangeOutcome, PersonChange } from './profile-change.ts';
import { ProfileCodec } from './profile-codec.ts';
import type { LevelProfiles, LevelStep, ProfileBatch, ProfileDatabase } from './profile-step.ts';
import type { ProfileStore, ProfileWatcher } from './profile-store.ts';
import { changedPeople, ProfileWatchers } from './profile-watchers.ts';
import type { Resealable, Resealed } from './resealing.ts';

export class ProfileStoreLevel implements ProfileStore, LevelProfiles, Resealable {
  readonly #db: ProfileDatabase;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #codec: ProfileCodec;
  readonly #watchers = new ProfileWatchers();
  #changing: Promise<unknown> = Promise.resolve();
  /** Whether a key may be there; null until looked. */
  #hasAny: boolean | null = null;

  /** The database must have string keys and values, is the caller's to close, and `prefix` ends with a slash. */
  constructor(db: ProfileDatabase, prefix: string, { clock, box }: { clock: Clock; box: SecretBox }) {
    this.#db = db;
    this.#codec = new ProfileCodec(box);
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
    return this.#inTurn(() => this.#change(changes, null));
  }

  changeWith<Result>(plan: () => Promise<LevelStep<Result>>): Promise<Result> {
    return this.#inTurn(async () => {
      const { changes, write, result } = await plan();
      await this.#change(changes, write);
      return result;
    });
  }

  async page(after: PersonKey | null, max: number): Promise<readonly PersonProfile[]> {
    const found: PersonProfile[] = [];
    const end = `${this.#prefix.slice(0, -1)}0`; // what follows the slash
    for await (const [key, text] of this.#db.iterator({ gt: this.#prefix + (after ?? ''), lt: end, limit: max })) {
      const person = key.slice(this.#prefix.length) as PersonKey;
      found.push({ person, profile: this.#codec.decode(person, text) });
    }
    return found;
  }

  async findByEmail(tenant: TenantId, email: string): Promise<readonly PersonKey[]> {
    const start = this.#emailKey(this.#codec.emailIndex(tenant, email), '');
    const keys = await this.#db.keys({ gt: start, lt: `${start.slice(0, -1)}\u0001` }).all();
    return keys.map((key) => key.slice(start.length) as PersonKey);
  }

  reseal(after: string | null, max: number): Promise<Resealed> {
    return this.#inTurn(async () => {
      const end = `${this.#prefix.slice(0, -1)}0`;
      const entries = await this.#db.iterator({ gt: this.#prefix + (after ?? ''), lt: end, limit: max }).all();
      const batch = this.#db.batch();
      let changed = 0;
      for (const [key, text] of entries) {
        const person = key.slice(this.#prefix.length) as PersonKey;
        const profile = this.#codec.reseal(person, text);
        if (profile === null) continue;
        this.#put(batch, person, profile);
        changed++;
      }
      if (changed > 0) await batch.write({ sync: true });
      return { next: entries.at(-1)?.[0].slice(this.#prefix.length) ?? null, changed };
    });
  }

  watch(watcher: ProfileWatcher): () => void {
    return this.#watchers.add(watcher);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    await this.#changing;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#changing.then(work);
    this.#changing = turn.catch(() => {});
    return turn;
  }

  async #change(
    changes: readonly PersonChange[],
    more: LevelStep<unknown>['write'],
  ): Promise<readonly ChangeOutcome[]> {
    if (this.#db.isBroken) await this.#db.mend?.();
    const people = [...new Set(changes.map(({ person }) => person))];
    const profiles = await this.read(people);
    const stored = new Map<PersonKey, Profile>();
    for (const [at, person] of people.entries()) {
      const profile = profiles[at];
      if (profile) stored.set(person, profile);
    }
    const { outcomes, writes } = applyChanges(changes, stored, this.#clock.now());
    if (writes.size > 0 || more !== null) await this.#write(writes, { stored, more });
    this.#watchers.changed(changedPeople(changes, outcomes));
    return outcomes;
  }

  async #write(
    writes: ReadonlyMap<PersonKey, Profile | null>,
    { stored, more }: { stored: ReadonlyMap<PersonKey, Profile>; more: LevelStep<unknown>['write'] },
  ): Promise<void> {
    // Before the write, which readers may see before it has been answered.
    if (writes.size > 0) this.#hasAny = true;
    const batch = this.#db.batch();
    for (const [person, profile] of writes) {
      const index = this.#codec.indexOf(person, stored.get(person) ?? null);
      if (index !== null) batch.del(this.#emailKey(index, person));
      if (profile === null) batch.del(this.#prefix + person);
      else this.#put(batch, person, profile);
    }
    more?.(batch);
    await batch.write({ sync: true });
  }

  #put(batch: ProfileBatch, person: PersonKey, profile: Profile): void {
    batch.put(this.#prefix + person, this.#codec.encode(person, profile));
    const index = this.#codec.indexOf(person, profile);
    if (index !== null) batch.put(this.#emailKey(index, person), '');
  }

  #emailKey(index: string, person: string): string {
    return `${this.#prefix.slice(0, -1)}-email/${index}\u0000${person}`;
  }

  #get(person: PersonKey): Profile | null {
    const text = this.#hasAny ? this.#db.getSync(this.#prefix + person) : undefined;
    return text === undefined ? null : this.#codec.decode(person, text);
  }
}
