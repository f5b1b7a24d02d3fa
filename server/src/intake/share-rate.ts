/**
 * Makes a rate limit count for several processes together (E6): each decides by its own buckets, tells in the background
 * what it has let through, and takes over what is left.
 *
 * So the rate holds for all of them over time, and at any moment they may be ahead of it by what they did not know of
 * each other: a burst for each process, and what each lets through in `limits.rateShareMs`. That is a debt, and paid
 * before more is let through. While the shared buckets cannot be reached, each process keeps to the rate by itself,
 * and owes a burst for it afterwards.
 */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RateShare } from './rate-share.ts';

/** Answers how to stop. */
export function shareRate(limit: RateLimit, share: RateShare, clock: Clock): () => void {
  let isTelling = false;
  const tell = async (): Promise<void> => {
    const spent = limit.takeSpent();
    if (spent.size === 0) return;
    isTelling = true;
    try {
      limit.settle(await share.spend(spent));
    } catch {
      limit.giveBack(spent);
    } finally {
      isTelling = false;
    }
  };
  return clock.every(limits.rateShareMs, () => {
    if (!isTelling) void tell();
  });
}
