/** What the rules are told of a recipient: look-ups in what the shard has loaded, without waiting. */
import type { TypeEntry } from '../content/type-entry.ts';
import type { Item, Member } from '../inbox/item.ts';
import type { EventFacts } from './event-facts.ts';
import type { Verdict } from './judge-source.ts';

export interface GroupFacts {
  readonly item: Item;
  /** When the group began: events `groupSpanMs` later or more open the next. */
  readonly beganMs: number;
  /** The person has read it, so it takes no more. */
  readonly read: boolean;
  /** The row of the same group key that was open before this one, if it is remembered. */
  readonly older: GroupFacts | null;
  member(key: string): Member | undefined;
  /** Every member, in no order. For rules that must look through a group: deletions. */
  members(): Iterable<Member>;
}

export interface RecipientFacts {
  readonly user: string;
  /** Some row may be in the filtered view. */
  readonly hasFiltered: boolean;
  /** By the person's choices, mutes and rules, for what an event tells as one of `type`. */
  judge(type: TypeEntry, event: EventFacts): Verdict;
  /** The newest row of this group key; earlier ones hang on it. */
  newest(groupKey: string): GroupFacts | null;
  /** Whether this thing (`post:p1`) is known to be deleted. */
  isGone(thing: string): boolean;
  /** When access to the thing was lost and given last, by event time; never is infinitely long ago. */
  accessTo(thing: string): AccessTimes;
  /** Rows about a thing, about something that belongs to it, or with members that are the thing. */
  about(thing: string): readonly GroupFacts[];
}

export interface AccessTimes {
  readonly lostMs: number;
  readonly grantedMs: number;
}

export const always: AccessTimes = { lostMs: Number.NEGATIVE_INFINITY, grantedMs: Number.NEGATIVE_INFINITY };
