/** Brings what people want, and how they can be reached, up to date for the micro-batch at hand. */
import type { PersonKey } from '../base/ids.ts';
import { type CapRules, usualCaps } from '../decide/caps.ts';
import { ProfileCache } from '../profile/profile-cache.ts';
import type { Person } from './person.ts';
import { reachOf } from './reach.ts';
import type { ShardOptions } from './shard-options.ts';

export class WishesLoader {
  /** Of this executor alone: what it has loaded stays until its next micro-batch. */
  readonly #profiles: ProfileCache | null;
  readonly #outward: ShardOptions['outward'];
  readonly #capRules: CapRules;

  constructor({ profiles, memory, outward, capRules = usualCaps }: ShardOptions) {
    this.#profiles = profiles === undefined ? null : new ProfileCache(profiles, memory.cachedProfileWeightMax);
    this.#outward = outward;
    this.#capRules = capRules;
  }

  /** Of `people`, each once or repeatedly. */
  async load(people: readonly Person[], keys: readonly PersonKey[]): Promise<void> {
    await this.#profiles?.load(keys);
    const channels = this.#outward?.channels ?? [];
    const pushed: Person[] = [];
    for (const person of people) {
      const { wishes } = person;
      if (this.#profiles !== null) wishes.useProfile(this.#profiles.get(person.key));
      wishes.reach = reachOf(channels, person.key, wishes.policy.profile);
      wishes.capRules = this.#capRules;
      wishes.isLooking = false;
      if (wishes.reach.push === 'ready') pushed.push(person);
    }
    const { looking } = this.#outward ?? {};
    if (looking === undefined || pushed.length === 0) return;
    const found = await looking.among(pushed.map(({ key }) => key));
    if (found.size > 0) for (const person of pushed) person.wishes.isLooking = found.has(person.key);
  }

  close(): void {
    this.#profiles?.close();
  }
}
