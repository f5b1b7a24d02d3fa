/**
 * Connections to Redis or Valkey the way the adapters need them: a call is answered or fails within `limits.busWaitMs`
 * and never waits in a queue for better times, nor is it sent again behind the caller's back. The client reconnects by
 * itself, for as long as it takes.
 */
import { Redis } from 'ioredis';
import { limits } from '../base/limits.ts';

/** Connects; calls fail until it has, and `ready` is emitted each time it has. `name`: as CLIENT LIST shows it. */
export function redisClient(url: string, name: string): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    enableOfflineQueue: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    // What was on its way when the connection broke fails at once.
    maxRetriesPerRequest: 0,
    commandTimeout: limits.busWaitMs,
    // A socket that does not answer is given up, else a dead one would be kept for minutes.
    socketTimeout: limits.busWaitMs,
    connectTimeout: limits.busWaitMs,
    disconnectTimeout: limits.busWaitMs,
    retryStrategy: (attempt) => Math.min(limits.busRetryMs, 50 * attempt),
  });
  // Each loss is met where a call fails or a subscription ends.
  redis.on('error', () => {});
  return redis;
}
