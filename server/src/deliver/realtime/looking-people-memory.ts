/** Who looks at the app, where gateway and shards are one process: as many entries as there are people connected. */
import type { Clock } from '../../base/clock.ts';
import type { PersonKey } from '../../base/ids.ts';
import type { LookingNotes, LookingPeople } from './looking-people.ts';

export class LookingPeopleMemory implements LookingNotes, LookingPeople {
  readonly #clock: Clock;
  readonly #keptMs: number;
  /** By monotonic time. */
  readonly #untilMs = new Map<PersonKey, number>();

  /** `keptMs`: how long who has hidden it still counts. */
  constructor(clock: Clock, keptMs: number) {
    this.#clock = clock;
    this.#keptMs = keptMs;
  }

  visible(person: PersonKey): void {
    this.#untilMs.set(person, Number.POSITIVE_INFINITY);
  }

  hidden(person: PersonKey): void {
    if (this.#untilMs.has(person)) this.#untilMs.set(person, this.#clock.monotonic() + this.#keptMs);
  }

  gone(person: PersonKey): void {
    this.#untilMs.delete(person);
  }

  async among(people: readonly PersonKey[]): Promise<ReadonlySet<PersonKey>> {
    if (this.#untilMs.size === 0) return nobody;
    const nowMs = this.#clock.monotonic();
    return new Set(people.filter((person) => (this.#untilMs.get(person) ?? 0) > nowMs));
  }
}

const nobody: ReadonlySet<PersonKey> = new Set();
