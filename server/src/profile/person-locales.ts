/**
 * The language a person is written to (C2): the one they chose, else the one the app says. Kept in memory until the profile
 * changes. Reading an inbox does not hang on profiles: where they cannot be read in time, no language is known for a while.
 */
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Profile } from './profile.ts';
import type { ProfileStore } from './profile-store.ts';

/** BCP 47; null: not known. */
export function localeOf(profile: Profile | null): string | null {
  return profile?.choices.locale ?? profile?.facts?.locale ?? null;
}

export class PersonLocales {
  readonly #store: Pick<ProfileStore, 'read' | 'watch'>;
  readonly #clock: Clock;
  readonly #known = new Map<PersonKey, string | null>();
  readonly #stopWatching: () => void;
  /** Rises whenever something may have changed, so that what was read before is not kept. */
  #changes = 0;
  #pausedUntilMs = 0;

  constructor(store: Pick<ProfileStore, 'read' | 'watch'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#stopWatching = store.watch({
      changed: (people) => {
        this.#changes++;
        for (const person of people) this.#known.delete(person);
      },
      missed: () => {
        this.#changes++;
        this.#known.clear();
      },
    });
  }

  /** Never rejects. */
  readonly of = async (person: PersonKey): Promise<string | null> => {
    const known = this.#known.get(person);
    if (known !== undefined) return known;
    if (this.#clock.monotonic() < this.#pausedUntilMs) return null;
    const changes = this.#changes;
    const locale = await this.#read(person);
    if (locale === undefined) {
      this.#pausedUntilMs = this.#clock.monotonic() + limits.localeRetryMs;
      return null;
    }
    if (changes === this.#changes) this.#keep(person, locale);
    return locale;
  };

  close(): void {
    this.#stopWatching();
    this.#known.clear();
  }

  /** Undefined: could not be read in time. */
  async #read(person: PersonKey): Promise<string | null | undefined> {
    const late = Promise.withResolvers<undefined>();
    const cancel = this.#clock.after(limits.localeWaitMs, () => late.resolve(undefined));
    const read = this.#store.read([person]).then(
      ([profile]) => localeOf(profile ?? null),
      () => undefined,
    );
    try {
      return await Promise.race([read, late.promise]);
    } finally {
      cancel();
    }
  }

  #keep(person: PersonKey, locale: string | null): void {
    if (this.#known.size >= limits.localesKnownMax) this.#known.clear();
    this.#known.set(person, locale);
  }
}
