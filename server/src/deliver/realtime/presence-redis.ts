/**
 * Presence in Redis or Valkey: a sorted set per person, of gateways by the time at which their entry ends. Fields of a
 * hash cannot expire in Redis 7.0; the key expires with its last entry. Times are Redis's own, so that processes whose
 * clocks differ agree.
 *
 * One script per call, or per `limits.presencePeoplePerCall` of a larger one, all sent at once. The keys of one call lie
 * in many slots, so it must be one Redis, with replicas if wanted, and not a Redis Cluster.
 */
import type { Redis } from 'ioredis';
import type { PersonKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { GatewayId, Presence } from './presence.ts';

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** ARGV: gateway, how long it is kept. Answers 1 where the entry was there. */
const enterScript = `${now}
local there = {}
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  there[i] = 1 - redis.call('ZADD', key, now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', key, ARGV[2])
end
return there`;

/** ARGV: gateway. */
const leaveScript = `
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end`;

/** Answers, for each key that has any, its number (from 1) and its gateways. */
const findScript = `${now}
local found = {}
for i, key in ipairs(KEYS) do
  local gateways = redis.call('ZRANGEBYSCORE', key, '(' .. string.format('%.0f', now), '+inf')
  if #gateways > 0 then found[#found + 1] = {i, gateways} end
end
return found`;

type Scripted = Record<'presenceEnter' | 'presenceLeave' | 'presenceFind', (...args: unknown[]) => Promise<any>>;

export class PresenceRedis implements Presence {
  readonly #redis: Scripted;
  readonly #prefix: string;
  readonly #keptMs: number;

  /** `prefix`: in front of every key. */
  constructor(redis: Redis, prefix: string, keptMs: number = limits.presenceKeptMs) {
    redis.defineCommand('presenceEnter', { lua: enterScript });
    redis.defineCommand('presenceLeave', { lua: leaveScript });
    redis.defineCommand('presenceFind', { lua: findScript, readOnly: true });
    this.#redis = redis as unknown as Scripted;
    this.#prefix = `${prefix}presence:`;
    this.#keptMs = keptMs;
  }

  async enter(gateway: GatewayId, people: readonly PersonKey[]): Promise<readonly boolean[]> {
    const parts = this.#inParts(
      people,
      (count, keys): Promise<number[]> => this.#redis.presenceEnter(count, ...keys, gateway, this.#keptMs),
    );
    return (await Promise.all(parts)).flat().map((wasThere) => wasThere === 1);
  }

  async leave(gateway: GatewayId, people: readonly PersonKey[]): Promise<void> {
    await Promise.all(this.#inParts(people, (count, keys) => this.#redis.presenceLeave(count, ...keys, gateway)));
  }

  async gatewaysOf(people: readonly PersonKey[]): Promise<ReadonlyMap<PersonKey, readonly GatewayId[]>> {
    const parts = this.#inParts(
      people,
      (count, keys): Promise<[number, GatewayId[]][]> => this.#redis.presenceFind(count, ...keys),
    );
    const found = new Map<PersonKey, GatewayId[]>();
    for (const [part, answers] of (await Promise.all(parts)).entries()) {
      const start = part * limits.presencePeoplePerCall - 1;
      for (const [number, gateways] of answers) found.set(people[start + number] as PersonKey, gateways);
    }
    return found;
  }

  #inParts<Answer>(
    people: readonly PersonKey[],
    call: (count: number, keys: readonly string[]) => Promise<Answer>,
  ): Promise<Answer>[] {
    const calls: Promise<Answer>[] = [];
    for (let at = 0; at < people.length; at += limits.presencePeoplePerCall) {
      const keys = people.slice(at, at + limits.presencePeoplePerCall).map((person) => this.#prefix + person);
      calls.push(call(keys.length, keys));
    }
    return calls;
  }
}
