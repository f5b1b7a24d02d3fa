/**
 * Shared token buckets in Redis or Valkey: a hash per caller, in Redis's own time, gone once it would be full. One
 * script for all callers of a call.
 */
import type { Redis } from 'ioredis';
import type { Rate } from './rate-limit.ts';
import type { RateShare } from './rate-share.ts';

/** ARGV: tokens per second, most tokens, then what each key's caller has spent. Answers what is left, as text. */
const spendScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local left = {}
for i, key in ipairs(KEYS) do
  local kept = redis.call('HMGET', key, 'tokens', 'at')
  local tokens = tonumber(kept[1]) or burst
  local passed = math.max(0, now - (tonumber(kept[2]) or now))
  tokens = math.min(burst, tokens + passed * rate / 1000) - ARGV[2 + i]
  left[i] = string.format('%.3f', tokens)
  redis.call('HSET', key, 'tokens', left[i], 'at', string.format('%.3f', now))
  redis.call('PEXPIRE', key, math.max(1, math.ceil((burst - tokens) / rate * 1000)))
end
return left`;

type Scripted = Record<'rateSpend', (...args: unknown[]) => Promise<any>>;

export class RateShareRedis implements RateShare {
  readonly #redis: Scripted;
  readonly #prefix: string;
  readonly #rate: Rate;

  /** `prefix`: in front of every key. */
  constructor(redis: Redis, prefix: string, rate: Rate) {
    redis.defineCommand('rateSpend', { lua: spendScript });
    this.#redis = redis as unknown as Scripted;
    this.#prefix = `${prefix}rate:`;
    this.#rate = rate;
  }

  async spend(spent: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    const callers = [...spent.keys()];
    if (callers.length === 0) return new Map();
    const keys = callers.map((caller) => this.#prefix + caller);
    const { perSecond, burst } = this.#rate;
    const left: string[] = await this.#redis.rateSpend(keys.length, ...keys, perSecond, burst, ...spent.values());
    return new Map(callers.map((caller, index) => [caller, Number(left[index])]));
  }
}
