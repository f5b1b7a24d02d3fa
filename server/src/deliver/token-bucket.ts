/**
 * A token bucket (V6): each call takes a token, and tokens come back at a rate. Pure.
 *
 * - In any time, no more go than the bucket holds and than come back in it at the whole rate.
 * - A rate that ramps is at `from` of the whole after a rest. It rises while it is made use of, that is while the bucket is
 *   not full, and falls as fast while it is full: so it follows what is asked of it, and no rush meets a provider cold.
 */
export interface TokenRate {
  /** Tokens that a bucket holds: at least 1. */
  readonly burst: number;
  /** Tokens that come back, at the whole rate. */
  readonly perMs: number;
  /** Share of the rate after a rest; 1: always the whole. */
  readonly from: number;
  /** By how much that share rises. */
  readonly risePerMs: number;
}

export interface TokenBucket {
  readonly tokens: number;
  /** Share of the whole rate. */
  readonly share: number;
  readonly atMs: number;
}

export function restedBucket(rate: TokenRate, nowMs: number): TokenBucket {
  return { tokens: rate.burst, share: rate.from, atMs: nowMs };
}

/** Asks for a token. `go`: it is taken; else one is there after `waitMs`, a whole number. */
export function takeToken(
  bucket: TokenBucket,
  rate: TokenRate,
  nowMs: number,
): { go: TokenBucket } | { waitMs: number } {
  const now = bucketAt(bucket, rate, nowMs);
  if (now.tokens >= 1 - slack) return { go: { ...now, tokens: Math.max(0, now.tokens - 1) } };
  return { waitMs: Math.max(1, waitFor(now, rate, 1)) };
}

/** Of a call that was not made after all. */
export function giveBackToken(bucket: TokenBucket, rate: TokenRate): TokenBucket {
  return { ...bucket, tokens: Math.min(rate.burst, bucket.tokens + 1) };
}

/** How long until so many could have gone from what the bucket is now. */
export function waitFor({ tokens, share }: TokenBucket, rate: TokenRate, wanted: number): number {
  return Math.ceil(timeFor(wanted - slack - tokens, share, rate));
}

export function bucketAt(bucket: TokenBucket, rate: TokenRate, nowMs: number): TokenBucket {
  const { tokens, share, atMs } = bucket;
  const passedMs = nowMs - atMs;
  if (passedMs <= 0) return bucket;
  const usedMs = Math.min(passedMs, timeFor(rate.burst - tokens, share, rate));
  const isFull = usedMs < passedMs;
  const risen = Math.min(1, share + rate.risePerMs * usedMs);
  return {
    tokens: isFull ? rate.burst : Math.min(rate.burst, tokens + tokensIn(usedMs, share, rate)),
    share: Math.max(rate.from, risen - rate.risePerMs * (passedMs - usedMs)),
    atMs: nowMs,
  };
}

/** Tokens that come back while the share rises, and after. */
function tokensIn(ms: number, share: number, { perMs, risePerMs }: TokenRate): number {
  const risingMs = Math.min(ms, riseMs(share, risePerMs));
  return perMs * (share * risingMs + (risePerMs * risingMs ** 2) / 2 + (ms - risingMs));
}

/** The inverse. */
function timeFor(tokens: number, share: number, rate: TokenRate): number {
  if (tokens <= 0) return 0;
  const { perMs, risePerMs } = rate;
  const risingMs = riseMs(share, risePerMs);
  const meanwhile = tokensIn(risingMs, share, rate);
  if (tokens >= meanwhile) return risingMs + (tokens - meanwhile) / perMs;
  return (Math.sqrt(share ** 2 + (2 * risePerMs * tokens) / perMs) - share) / risePerMs;
}

function riseMs(share: number, risePerMs: number): number {
  return share >= 1 ? 0 : (1 - share) / risePerMs;
}

/** Sums of fractions come out a little less than what they stand for. */
const slack = 1e-6;
