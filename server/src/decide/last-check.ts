/**
 * The last look before anything leaves (D11), for every channel, with the facts of that moment: of what was decided
 * earlier nothing is taken on trust. In this order:
 *
 *   1. the account is erased, or may not be used for now
 *   2. the row is gone: undone, its thing deleted
 *   3. the person may no longer see what it is about
 *   4. the person has read it, or seen it, for what goes out only because it was not seen
 *   5. all that decides channels: mutes, preferences, endpoint, expiry, pause, quiet hours… (`decide-channels.ts`)
 *
 * What is critical is no exception from the first four. The answer may be to hold it again.
 */
import { type ChannelFacts, type ChannelPlan, decideChannel } from './decide-channels.ts';

export interface ItemFacts {
  readonly isErased: boolean;
  /** The account may not be used for now. */
  readonly isSuspended: boolean;
  /** Nobody is in the row any more, its thing is deleted, or it was removed. */
  readonly isGone: boolean;
  readonly isAccessLost: boolean;
  /** Read, archived or snoozed: the person has dealt with it. */
  readonly isRead: boolean;
  readonly isSeen: boolean;
}

export function lastCheck(channel: 'push' | 'email', item: ItemFacts, facts: ChannelFacts): ChannelPlan {
  const skip = (reason: ChannelPlan['reason']): ChannelPlan => ({ channel, kind: 'skip', reason, untilMs: null });
  if (item.isErased) return skip('erased');
  if (item.isSuspended) return skip('suppressed');
  if (item.isGone) return skip('undone');
  if (item.isAccessLost) return skip('accessLost');
  if (item.isRead || (item.isSeen && facts.moment === 'fallback')) return skip('read');
  return decideChannel(channel, facts);
}
