/** What the policy rules must know of a type: the part of its entry that says who is told, where and when. */
import type { TypeEntry } from '../content/type-entry.ts';

export type ChannelPolicy = Pick<
  TypeEntry,
  'name' | 'category' | 'lane' | 'critical' | 'channels' | 'ttlMs' | 'pushAlways' | 'emailMode' | 'emailAfterMs'
>;
