/** What the policy rules must know of a type: the part of the catalogue's entry that says who is told, where and when. */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { Channel } from '@carillon/contract/reasons.ts';

export interface ChannelPolicy {
  readonly name: string;
  readonly category: string;
  readonly lane: Lane;
  /** Ignores preferences, never suppression (D2). */
  readonly critical: boolean;
  /** Where a person is told who has chosen nothing. */
  readonly channels: Readonly<Record<Channel, boolean>>;
  /** How long after the event a push or email is still worth sending. */
  readonly ttlMs: number;
  /** Push also to who is looking at the app (D10). */
  readonly pushAlways: boolean;
  readonly emailMode: 'immediate' | 'fallback' | 'digest' | 'off';
  /** For `fallback`: how long it may stay unseen. */
  readonly emailAfterMs: number;
}
