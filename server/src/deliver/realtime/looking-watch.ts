/** Notices when people begin and cease to look at the app, over all their connections to one gateway. */
import type { PersonKey } from '../../base/ids.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import type { LookingNotes } from './looking-people.ts';

export class LookingWatch {
  readonly #registry: Pick<ConnectionRegistry, 'presence'>;
  readonly #notes: LookingNotes;
  /** What was noted last of whoever has ever been visible here and is still connected. */
  readonly #noted = new Map<PersonKey, 'visible' | 'hidden'>();

  constructor(registry: Pick<ConnectionRegistry, 'presence'>, notes: LookingNotes) {
    this.#registry = registry;
    this.#notes = notes;
  }

  /** A connection of the person has come, gone, or been shown or hidden. */
  look(person: PersonKey): void {
    const { connected, visible } = this.#registry.presence(person);
    const before = this.#noted.get(person);
    if (!connected) {
      if (this.#noted.delete(person)) this.#notes.gone(person);
      return;
    }
    const now = visible ? 'visible' : before === undefined ? undefined : 'hidden';
    if (now === before || now === undefined) return;
    this.#noted.set(person, now);
    this.#notes[now](person);
  }
}
