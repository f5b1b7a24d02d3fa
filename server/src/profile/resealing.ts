/**
 * What is encrypted comes by the current key, step by step, so that older keys are no longer needed (S4). Every step may be
 * repeated: what is by the current key already is passed over. Once nothing is left, the older keys are forgotten.
 */
import { limits } from '../base/limits.ts';
import type { KeyRegister } from './key-register.ts';

/** A store that keeps encrypted values. */
export interface Resealable {
  /**
   * Encrypts anew, of up to `max` entries behind `after`, what is not by the current key, or not encrypted at all as in
   * older releases. Nothing else changes, and a change at the same time is not undone.
   */
  reseal(after: string | null, max: number): Promise<Resealed>;
}

export interface Resealed {
  /** The entry come to; null: there were none behind. */
  readonly next: string | null;
  /** How many were encrypted anew. */
  readonly changed: number;
}

export interface Rotation {
  /** Goes on behind `after`, as the step before answered; null: from the start. */
  step(after: string | null): Promise<Resealed>;
  /** After the last step of a rotation from the start. Answers the names of the keys that are no longer needed. */
  finish(): Promise<readonly string[]>;
}

export class Resealing implements Rotation {
  readonly #stores: readonly Resealable[];
  readonly #keys: KeyRegister;
  readonly #current: string;

  constructor(stores: readonly Resealable[], keys: KeyRegister, current: string) {
    this.#stores = stores;
    this.#keys = keys;
    this.#current = current;
  }

  /** A place is the number of the store, and where it has come to in it. */
  async step(after: string | null): Promise<Resealed> {
    const slash = after?.indexOf('/') ?? -1;
    const at = after === null ? 0 : Number(after.slice(0, slash));
    const within = after === null || slash === after.length - 1 ? null : after.slice(slash + 1);
    const store = this.#stores[at];
    if (store === undefined) return { next: null, changed: 0 };
    const { next, changed } = await store.reseal(within, limits.devicesPerStep);
    return { next: next === null ? `${at + 1}/` : `${at}/${next}`, changed };
  }

  async finish(): Promise<readonly string[]> {
    const former = [...(await this.#keys.all()).keys()].filter((id) => id !== this.#current && id !== indexName);
    await this.#keys.remove(former);
    return former;
  }
}

/** Of the index key among those of master keys, which have no dot. */
export const indexName = '.index';
