/**
 * Keeps presence true for one gateway: enters who comes, takes out who goes, and enters everybody again well before
 * their entries expire, in batches, one call at a time. While presence cannot be reached, what is due waits.
 *
 * A person whose entry turns out to have been missing may have been published past: `forgotten` is told.
 */
import type { Clock } from '../../base/clock.ts';
import type { PersonKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { GatewayId, Presence } from './presence.ts';

export interface PresenceKeeperParts {
  readonly gateway: GatewayId;
  readonly presence: Presence;
  readonly clock: Clock;
  /** How long its entries last; unless given, `limits.presenceKeptMs`. */
  readonly keptMs?: number;
  /** The entry of somebody who is held was not there. */
  readonly forgotten: (person: PersonKey) => void;
}

interface Held {
  /** Monotonic. */
  enteredAtMs: number;
  /** Called once it has been tried to enter them. Null afterwards. */
  untried: (() => void)[] | null;
}

export class PresenceKeeper {
  readonly #parts: PresenceKeeperParts;
  /** Who was entered longest ago comes first. */
  readonly #held = new Map<PersonKey, Held>();
  /** To be entered if held, else to be taken out. */
  readonly #due = new Set<PersonKey>();
  readonly #refreshMs: number;
  readonly #stopRefreshing: () => void;
  #running: Promise<void> | null = null;
  #stopWaiting: (() => void) | null = null;

  constructor(parts: PresenceKeeperParts) {
    this.#parts = parts;
    this.#refreshMs = (parts.keptMs ?? limits.presenceKeptMs) / 3;
    this.#stopRefreshing = parts.clock.every(this.#refreshMs / refreshSteps, () => this.#refresh());
  }

  /** `tried` is called, at once where nothing is to be done, when the person is entered or cannot be. */
  hold(person: PersonKey, tried: () => void): void {
    const held = this.#held.get(person);
    if (held !== undefined) {
      if (held.untried === null) tried();
      else held.untried.push(tried);
      return;
    }
    this.#held.set(person, { enteredAtMs: Number.NEGATIVE_INFINITY, untried: [tried] });
    this.#want([person]);
  }

  /** The entry is not refreshed any more, and ends by itself. */
  lapse(person: PersonKey): void {
    this.#held.delete(person);
    this.#due.delete(person);
  }

  release(person: PersonKey): void {
    this.#held.delete(person);
    this.#want([person]);
  }

  /** Everybody may have been forgotten. */
  enterAll(): void {
    this.#want(this.#held.keys());
  }

  /** Takes out everybody, if presence can be reached. */
  async close(): Promise<void> {
    this.#stopRefreshing();
    const people = [...this.#held.keys()];
    this.#held.clear();
    this.#want(people);
    await this.#running;
    this.#stopWaiting?.();
  }

  #refresh(): void {
    const dueMs = this.#parts.clock.monotonic() - this.#refreshMs;
    const due: PersonKey[] = [];
    for (const [person, { enteredAtMs }] of this.#held) {
      if (enteredAtMs > dueMs) break;
      due.push(person);
    }
    this.#want(due);
  }

  #want(people: Iterable<PersonKey>): void {
    for (const person of people) this.#due.add(person);
    if (this.#due.size === 0 || this.#running !== null || this.#stopWaiting !== null) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    // Whoever comes in the same turn goes along.
    await null;
    while (this.#due.size > 0) {
      const batch = [...this.#due.values().take(limits.presencePeoplePerCall)];
      for (const person of batch) this.#due.delete(person);
      const entering = batch.filter((person) => this.#held.has(person));
      const leaving = batch.filter((person) => !this.#held.has(person));
      try {
        await this.#change(entering, leaving);
      } catch {
        this.#failed(batch);
        return;
      }
    }
  }

  async #change(entering: readonly PersonKey[], leaving: readonly PersonKey[]): Promise<void> {
    const { gateway, presence, clock, forgotten } = this.#parts;
    if (leaving.length > 0) await presence.leave(gateway, leaving);
    if (entering.length === 0) return;
    const nowMs = clock.monotonic();
    const wereThere = await presence.enter(gateway, entering);
    for (const [index, person] of entering.entries()) {
      const held = this.#held.get(person);
      if (held === undefined) continue;
      this.#held.delete(person);
      this.#held.set(person, held);
      held.enteredAtMs = nowMs;
      if (held.untried !== null) this.#tried(held);
      else if (!wereThere[index]) forgotten(person);
    }
  }

  /** All of it again later: nothing is wrong in entering or leaving twice. */
  #failed(batch: readonly PersonKey[]): void {
    for (const person of batch) this.#due.add(person);
    // Nobody waits for a presence that is away, and who comes meanwhile not even for one attempt.
    for (const held of this.#held.values()) this.#tried(held);
    this.#stopWaiting = this.#parts.clock.after(limits.busRetryMs, () => {
      this.#stopWaiting = null;
      this.#want([]);
    });
  }

  #tried(held: Held): void {
    const { untried } = held;
    held.untried = null;
    for (const tried of untried ?? []) tried();
  }
}

/** So many small batches instead of one large one. */
const refreshSteps = 30;
