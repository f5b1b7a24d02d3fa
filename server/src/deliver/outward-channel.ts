/**
 * Port: a channel that leaves the service: push, email. The shard decides whether and when; the channel finds endpoints,
 * looks at the last facts (D11), renders, sends and retries.
 *
 * Promise of `take`: what it has resolved for is not lost, and each telling is sent at most once, however often and in
 *   whatever company it is given: after a crash the shard decides again, and may decide otherwise. A dispatch of which
 *   all was taken before has no effect.
 * Order: calls of one shard come one after the other.
 * Failure: `take` rejects when nothing can be taken just now; all of it is then given again.
 */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { NotificationId, PersonKey } from '../base/ids.ts';
import type { ChannelFacts, EndpointState } from '../decide/decide-channels.ts';
import type { Profile } from '../profile/profile.ts';

/**
 * That a notification is told of, with the number of this time; its content is that of the moment it is sent. One with a
 * greater number takes the place of those before it.
 */
export interface Telling {
  readonly notification: NotificationId;
  readonly number: number;
}

/** Something to be sent to one person by one channel. */
export interface Dispatch {
  readonly person: PersonKey;
  /** What it tells of, the most important first. */
  readonly tells: readonly Telling[];
  /** Of what it tells first. */
  readonly lane: Lane;
  /** What it was decided by: the last check asks for the same (D11). */
  readonly moment: ChannelFacts['moment'];
  readonly decidedAtMs: number;
  readonly expiresAtMs: number;
}

export interface OutwardChannel {
  readonly name: 'push' | 'email';
  /** Whether the person can be reached by it, from what the shard knows without waiting. */
  endpointOf(person: PersonKey, profile: Profile | null): EndpointState;
  take(dispatches: readonly Dispatch[]): Promise<void>;
}
