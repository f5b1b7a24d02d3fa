/**
 * What providers allow (V6): a token bucket for each project and each device that has a quota, of this process. Buckets that
 * are full again are forgotten, for a new one is full, too; beyond `quotaBucketsMax` also the one used longest ago.
 */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import {
  bucketAt,
  giveBackToken,
  restedBucket,
  type TokenBucket,
  type TokenRate,
  takeToken,
  waitFor,
} from './token-bucket.ts';

export interface Quota {
  /** Of all quotas there are. */
  readonly name: string;
  readonly rate: TokenRate;
}

interface Entry {
  readonly quota: Quota;
  bucket: TokenBucket;
  /** By lane: until then its tokens are promised to what was put off. */
  readonly promisedMs: number[];
}

export class Quotas {
  readonly #clock: Clock;
  /** Used longest ago first. */
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Takes a token of each. Else how long to wait, and none is taken. */
  take(quotas: readonly Quota[]): number {
    if (quotas.length === 0) return 0;
    const nowMs = this.#clock.monotonic();
    const entries = quotas.map((quota) => this.#entryOf(quota, nowMs));
    const answers = entries.map(({ bucket, quota }) => takeToken(bucket, quota.rate, nowMs));
    const waitMs = Math.max(...answers.map((answer) => ('waitMs' in answer ? answer.waitMs : 0)));
    if (waitMs > 0) return waitMs;
    for (const [at, answer] of answers.entries()) {
      const entry = entries[at] as Entry;
      if ('go' in answer) entry.bucket = answer.go;
      this.#entries.delete(entry.quota.name);
      this.#entries.set(entry.quota.name, entry);
    }
    this.#forget(nowMs);
    return 0;
  }

  /** Of a call that was not made. */
  giveBack(quotas: readonly Quota[]): void {
    for (const { name, rate } of quotas) {
      const entry = this.#entries.get(name);
      if (entry !== undefined) entry.bucket = giveBackToken(entry.bucket, rate);
    }
  }

  /** How long until there is a token of each, also for what comes after `ahead` others, by the quota's name. */
  waitOf(quotas: readonly Quota[], ahead: ReadonlyMap<string, number>): number {
    const nowMs = this.#clock.monotonic();
    const waits = quotas.map((quota) => {
      const bucket = bucketAt(
        this.#entries.get(quota.name)?.bucket ?? restedBucket(quota.rate, nowMs),
        quota.rate,
        nowMs,
      );
      return waitFor(bucket, quota.rate, (ahead.get(quota.name) ?? 0) + 1);
    });
    return Math.max(0, ...waits);
  }

  /** How long to put something off, so that what is put off of a lane comes back one after the other, as it may then go. */
  promise(quotas: readonly Quota[], lane: number): number {
    const nowMs = this.#clock.monotonic();
    const times = quotas.map((quota) => {
      const { promisedMs } = this.#entryOf(quota, nowMs);
      const lastMs = Math.max(promisedMs[lane] ?? 0, nowMs + limits.quotaWaitMs);
      promisedMs[lane] = lastMs + 1 / quota.rate.perMs;
      return promisedMs[lane];
    });
    return Math.ceil(Math.max(nowMs, ...times) - nowMs);
  }

  #entryOf(quota: Quota, nowMs: number): Entry {
    const known = this.#entries.get(quota.name);
    if (known !== undefined) return known;
    const entry: Entry = { quota, bucket: restedBucket(quota.rate, nowMs), promisedMs: [] };
    this.#entries.set(quota.name, entry);
    return entry;
  }

  #forget(nowMs: number): void {
    for (const [name, { bucket, quota, promisedMs }] of this.#entries) {
      const { tokens, share } = bucketAt(bucket, quota.rate, nowMs);
      const isRested = tokens >= quota.rate.burst && share <= quota.rate.from && promisedMs.every((ms) => ms <= nowMs);
      if (!isRested && this.#entries.size <= limits.quotaBucketsMax) return;
      this.#entries.delete(name);
    }
  }
}
