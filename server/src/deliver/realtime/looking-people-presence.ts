/**
 * Who looks at the app, over a presence of its own whose entries last only seconds: a gateway enters whoever is visible
 * again and again, and stops when they hide it.
 */
import type { Clock } from '../../base/clock.ts';
import type { PersonKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { LookingNotes, LookingPeople } from './looking-people.ts';
import type { GatewayId, Presence } from './presence.ts';
import { PresenceKeeper } from './presence-keeper.ts';

export interface LookingNotesPresenceParts {
  readonly gateway: GatewayId;
  readonly presence: Presence;
  readonly clock: Clock;
  /** How long an entry of this presence lasts. */
  readonly keptMs: number;
}

export class LookingNotesPresence implements LookingNotes {
  readonly #keeper: PresenceKeeper;

  constructor(parts: LookingNotesPresenceParts) {
    this.#keeper = new PresenceKeeper({ ...parts, forgotten: () => {} });
  }

  visible(person: PersonKey): void {
    this.#keeper.hold(person, () => {});
  }

  hidden(person: PersonKey): void {
    this.#keeper.lapse(person);
  }

  gone(person: PersonKey): void {
    this.#keeper.release(person);
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }
}

export class LookingPeoplePresence implements LookingPeople {
  readonly #presence: Pick<Presence, 'gatewaysOf'>;
  readonly #clock: Clock;
  /** Monotonic: it is not asked again before. */
  #awayUntilMs = Number.NEGATIVE_INFINITY;

  constructor(presence: Pick<Presence, 'gatewaysOf'>, clock: Clock) {
    this.#presence = presence;
    this.#clock = clock;
  }

  /** While it does not answer, events must not wait for it again and again. */
  async among(people: readonly PersonKey[]): Promise<ReadonlySet<PersonKey>> {
    if (people.length === 0 || this.#clock.monotonic() < this.#awayUntilMs) return nobody;
    let cancel = (): void => {};
    const late = new Promise<null>((resolve) => {
      cancel = this.#clock.after(limits.lookingWaitMs, () => resolve(null));
    });
    const found = await Promise.race([this.#presence.gatewaysOf([...new Set(people)]).catch(() => null), late]);
    cancel();
    if (found === null) this.#awayUntilMs = this.#clock.monotonic() + limits.busRetryMs;
    return found === null ? nobody : new Set(found.keys());
  }
}

const nobody: ReadonlySet<PersonKey> = new Set();
