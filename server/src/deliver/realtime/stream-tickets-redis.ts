/**
 * Tickets in Redis or Valkey, so that a stream may open at another process than the one that issued its ticket. Redis
 * ends them by itself; GETDEL lets one of two redemptions have it.
 */
import type { Redis } from 'ioredis';
import type { UserPrincipal } from '../../auth/principal.ts';
import { CarillonError } from '../../base/carillon-error.ts';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Random } from '../../base/random.ts';
import type { StreamTickets } from './stream-tickets.ts';

export interface StreamTicketsRedisParts {
  readonly redis: Redis;
  /** In front of every key. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly ticketKeptMs: number;
}

export class StreamTicketsRedis implements StreamTickets {
  readonly #parts: StreamTicketsRedisParts;

  constructor(parts: StreamTicketsRedisParts) {
    this.#parts = parts;
  }

  async issue(principal: UserPrincipal): Promise<{ ticket: string; expiresAtMs: number }> {
    const { redis, clock, random, ticketKeptMs } = this.#parts;
    const ticket = random.hex(32);
    const expiresAtMs = clock.now() + ticketKeptMs;
    await redis.set(this.#key(ticket), JSON.stringify(principal), 'PX', ticketKeptMs).catch(unavailable);
    return { ticket, expiresAtMs };
  }

  async redeem(ticket: string): Promise<UserPrincipal | null> {
    const kept = await this.#parts.redis.getdel(this.#key(ticket)).catch(unavailable);
    return kept === null ? null : (JSON.parse(kept) as UserPrincipal);
  }

  #key(ticket: string): string {
    return `${this.#parts.prefix}ticket:${ticket}`;
  }
}

function unavailable(cause: unknown): never {
  const retryAfterSeconds = Math.ceil(limits.busRetryMs / 1000);
  throw new CarillonError('CARILLON_OVERLOADED', 'Tickets cannot be had now.', { retryAfterSeconds, cause });
}
