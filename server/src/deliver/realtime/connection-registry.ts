/** All connections of a gateway, and whose they are. A closing one still counts as a connection, but as nobody's. */
import type { PersonKey } from '../../base/ids.ts';
import type { Connection } from './connection.ts';

export interface PresenceOf {
  readonly connected: boolean;
  /** At least one of the person's clients shows the inbox right now. */
  readonly visible: boolean;
  /** Wall-clock milliseconds of the last sign of life over the connections that are open; null if there is none. */
  readonly lastSeenAtMs: number | null;
}

export class ConnectionRegistry {
  readonly all = new Set<Connection>();
  /** Oldest first. */
  readonly #ofPerson = new Map<PersonKey, Connection[]>();

  get people(): number {
    return this.#ofPerson.size;
  }

  /** Answers the person's oldest connection if there are now more than `max`. */
  join(connection: Connection, max: number): Connection | null {
    if (connection.person === null) return null;
    const theirs = this.#ofPerson.get(connection.person);
    if (theirs === undefined) {
      this.#ofPerson.set(connection.person, [connection]);
      return null;
    }
    theirs.push(connection);
    return theirs.length > max ? (theirs[0] ?? null) : null;
  }

  leave(connection: Connection): void {
    if (connection.person === null) return;
    const theirs = this.#ofPerson.get(connection.person);
    const at = theirs?.indexOf(connection) ?? -1;
    if (theirs === undefined || at < 0) return;
    if (theirs.length === 1) this.#ofPerson.delete(connection.person);
    else theirs.splice(at, 1);
  }

  presence(person: PersonKey): PresenceOf {
    let connected = false;
    let visible = false;
    let lastSeenAtMs: number | null = null;
    for (const connection of this.#ofPerson.get(person) ?? []) {
      connected = true;
      visible ||= connection.visible;
      lastSeenAtMs = Math.max(lastSeenAtMs ?? 0, connection.lastSeenAtMs);
    }
    return { connected, visible, lastSeenAtMs };
  }
}
