/**
 * Port: who looks at the app just now: connected, and visible on some screen until a few seconds ago (D10). Gateways say
 * what they see, shards ask before they push.
 *
 * Visible lasts until the person hides it everywhere; then they count as looking for at most the time that the engine was
 * given, while they stay connected. Whoever has gone counts no more, as soon as the note has come.
 * It is a hint, never truth: who is not known, whose answer is late, or of whom a gateway that died knew, is taken for not
 *   looking, and is pushed.
 * Failure: no call rejects or throws; `among` answers within `limits.lookingWaitMs`.
 */
import type { PersonKey } from '../../base/ids.ts';

export interface LookingNotes {
  visible(person: PersonKey): void;
  /** Nowhere any more, and still connected. */
  hidden(person: PersonKey): void;
  /** Not connected here any more. */
  gone(person: PersonKey): void;
}

export interface LookingPeople {
  /** Those of them who look. */
  among(people: readonly PersonKey[]): Promise<ReadonlySet<PersonKey>>;
}
