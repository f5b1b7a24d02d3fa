/**
 * Port: a channel that leaves the service: push, email. The shard decides whether and when; the channel finds endpoints,
 * looks at the last facts (D11), renders, sends and retries.
 *
 * Promise of `take`: what it has resolved for is not lost, and is sent at most once for each id, however often it is
 *   given. Order: calls of one shard come one after the other.
 * Failure: `take` rejects when nothing can be taken just now; all of it is then given again.
 */
import type { NotificationId, PersonKey } from '../base/ids.ts';
import type { EndpointState } from '../decide/decide-channels.ts';
import type { Profile } from '../profile/profile.ts';

/** Something to be sent to one person by one channel. */
export interface Dispatch {
  /** A hash of what it stands for: person, notification, channel and which telling of it. */
  readonly id: string;
  readonly person: PersonKey;
  /** What it tells of, the most important first; its content is that of the moment it is sent. */
  readonly notifications: readonly NotificationId[];
  /** Replaces what was sent before about the same notification. */
  readonly replaces: boolean;
  readonly decidedAtMs: number;
  readonly expiresAtMs: number;
}

export interface OutwardChannel {
  readonly name: 'push' | 'email';
  /** Whether the person can be reached by it, from what the shard knows without waiting. */
  endpointOf(person: PersonKey, profile: Profile | null): EndpointState;
  take(dispatches: readonly Dispatch[]): Promise<void>;
}
