/** Why a channel was used or not, or an event had no effect: the one list of reason codes (D1). */
export const reasons = [
  'preference',
  'categoryPreference',
  'muteAll',
  'paused',
  'mutedActor',
  'mutedObject',
  'mutedWord',
  'relation',
  'quietHours',
  'cap',
  'window',
  'digest',
  'unseen',
  'duplicate',
  'self',
  'undone',
  'present',
  'noEndpoint',
  'suppressed',
  'expired',
  'read',
  'erased',
  'accessLost',
  'critical',
  'default',
] as const;

export type Reason = (typeof reasons)[number];

export const channels = ['inApp', 'push', 'email'] as const;

export type Channel = (typeof channels)[number];

/** What became of one channel for one event, as stored with the notification. */
export interface ChannelDecision {
  readonly channel: Channel;
  readonly kind: 'send' | 'hold' | 'skip';
  readonly reason: Reason;
  /** For `hold`: RFC 3339 UTC time of release. */
  readonly until?: string;
}
