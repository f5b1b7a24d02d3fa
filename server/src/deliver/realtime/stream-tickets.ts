/**
 * Single-use tickets for clients that can set no header (V33): worthless once used, and soon anyway, so one that ends
 * in an access log opens nothing. They carry the caller's own expiry and session.
 */
import type { UserPrincipal } from '../../auth/principal.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';

/** Whoever can reach a store of several processes may redeem what another issued; while it is away, CARILLON_OVERLOADED. */
export interface StreamTickets {
  issue(principal: UserPrincipal): Promise<{ ticket: string; expiresAtMs: number }>;
  /** Whose it was, the first time and in time; else null. Of two at once, one gets null. */
  redeem(ticket: string): Promise<UserPrincipal | null>;
}

interface Kept {
  readonly principal: UserPrincipal;
  readonly goodUntilMs: number;
}

export interface TicketLimits {
  readonly ticketKeptMs: number;
  readonly ticketsMax: number;
}

/** Tickets of this process. They all live equally long, so the map's order is the order of their end. */
export class LocalStreamTickets implements StreamTickets {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #limits: TicketLimits;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock, random: Random, limits: TicketLimits) {
    this.#clock = clock;
    this.#random = random;
    this.#limits = limits;
  }

  async issue(principal: UserPrincipal): Promise<{ ticket: string; expiresAtMs: number }> {
    const nowMs = this.#clock.monotonic();
    this.#forget(nowMs);
    const ticket = this.#random.hex(32);
    this.#kept.set(ticket, { principal, goodUntilMs: nowMs + this.#limits.ticketKeptMs });
    return { ticket, expiresAtMs: this.#clock.now() + this.#limits.ticketKeptMs };
  }

  async redeem(ticket: string): Promise<UserPrincipal | null> {
    const kept = this.#kept.get(ticket);
    this.#kept.delete(ticket);
    return kept !== undefined && kept.goodUntilMs > this.#clock.monotonic() ? kept.principal : null;
  }

  #forget(nowMs: number): void {
    for (const [ticket, { goodUntilMs }] of this.#kept) {
      if (goodUntilMs > nowMs && this.#kept.size < this.#limits.ticketsMax) return;
      this.#kept.delete(ticket);
    }
  }
}
