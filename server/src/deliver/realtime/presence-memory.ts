/** Presence in memory, for tests of several processes in one: all share one object. */
import type { Clock } from '../../base/clock.ts';
import type { PersonKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { GatewayId, Presence } from './presence.ts';

export class PresenceMemory implements Presence {
  readonly #clock: Clock;
  readonly #keptMs: number;
  /** Person → gateway → monotonic time of its end. */
  readonly #entries = new Map<PersonKey, Map<GatewayId, number>>();
  isAway = false;

  constructor(clock: Clock, keptMs: number = limits.presenceKeptMs) {
    this.#clock = clock;
    this.#keptMs = keptMs;
  }

  async enter(gateway: GatewayId, people: readonly PersonKey[]): Promise<readonly boolean[]> {
    await this.#reach();
    const nowMs = this.#clock.monotonic();
    return people.map((person) => {
      const gateways = this.#entries.get(person) ?? new Map<GatewayId, number>();
      const wasThere = (gateways.get(gateway) ?? 0) > nowMs;
      this.#entries.set(person, gateways.set(gateway, nowMs + this.#keptMs));
      return wasThere;
    });
  }

  async leave(gateway: GatewayId, people: readonly PersonKey[]): Promise<void> {
    await this.#reach();
    for (const person of people) this.#entries.get(person)?.delete(gateway);
  }

  async gatewaysOf(people: readonly PersonKey[]): Promise<ReadonlyMap<PersonKey, readonly GatewayId[]>> {
    await this.#reach();
    const nowMs = this.#clock.monotonic();
    const found = new Map<PersonKey, GatewayId[]>();
    for (const person of people) {
      for (const [gateway, endMs] of this.#entries.get(person) ?? []) {
        if (endMs > nowMs) found.set(person, [...new Set(found.get(person)).add(gateway)]);
      }
    }
    return found;
  }

  /** As after a restart without a copy on disk. */
  forgetAll(): void {
    this.#entries.clear();
  }

  async #reach(): Promise<void> {
    await null;
    if (this.isAway) throw new Error('presence cannot be reached');
  }
}
