/**
 * How far a move into a cluster has come, kept in the target, so that a move that was cut off goes on where it was.
 *
 *   people ──all copied──▶ repeats ──positions set──▶ waiting ──all appended──▶ done
 *
 * `repeats`: events that are applied, which the cluster must recognise when they are sent again.
 * `waiting`: events that are not applied yet; behind the positions, so that the shards apply them.
 */
import type { Client } from 'cassandra-driver';
import type { PersonKey } from '../base/ids.ts';
import type { Position } from '../log/event-log.ts';

export interface MoveState {
  /** Whose data it is: the id that the source carries. */
  readonly source: string;
  readonly stage: 'people' | 'repeats' | 'waiting' | 'done';
  /** All people up to this one are copied; null before the first. */
  readonly lastPerson: PersonKey | null;
  /** How far each lane of the source's log is copied in this stage: `<shard>/<lane>` to position. */
  readonly copiedTo: Readonly<Record<string, Position>>;
  /** Where the target's shards begin, by shard and lane; null until the repeats are copied. */
  readonly begins: readonly (readonly Position[])[] | null;
}

export interface MoveStateStore {
  load(): Promise<MoveState | null>;
  save(state: MoveState): Promise<void>;
}

/** Beside the numbers of the migrations: it is there before any other data. */
export class CassandraMoveState implements MoveStateStore {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async load(): Promise<MoveState | null> {
    const query = "SELECT value FROM migrations WHERE name = 'move' AND version = 0";
    const row = (await this.#client.execute(query)).first();
    return row === null ? null : (JSON.parse(row.value) as MoveState);
  }

  async save(state: MoveState): Promise<void> {
    const query = "UPDATE migrations SET value = ? WHERE name = 'move' AND version = 0";
    await this.#client.execute(query, [JSON.stringify(state)]);
  }
}
