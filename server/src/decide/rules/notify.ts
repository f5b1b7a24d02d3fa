/**
 * The rule of types that tell of something: a like, a comment, a message.
 * One person and thing counts once in 24 h (D4); what is news joins the open row of its group or opens the next (D5).
 */
import { limits } from '../../base/limits.ts';
import type { TypeEntry } from '../../content/type-entry.ts';
import { filteredKey } from '../../inbox/filtered-key.ts';
import type { Item, Member } from '../../inbox/item.ts';
import { type Change, type Decision, type Merged, nothing } from '../decision.ts';
import type { EventFacts } from '../event-facts.ts';
import { isLost } from '../is-lost.ts';
import type { Verdict } from '../judge-source.ts';
import { groupKeyOf, memberKeyOf } from '../keys.ts';
import { compareOrder } from '../order.ts';
import type { GroupFacts, RecipientFacts } from '../recipient-facts.ts';

/** Earlier than any event; what it differs from a time by can still be stored exactly. */
const neverCounted = -8.6e15;

export function notify(event: EventFacts, facts: RecipientFacts): Decision {
  return tellOf(event.type, event, facts);
}

/** As `notify`, for what an event of another type tells of: an edit that adds a mention. */
export function tellOf(type: TypeEntry, event: EventFacts, facts: RecipientFacts): Decision {
  if (!type.fromApp && event.actorId === facts.user) return nothing('self');
  if (event.thing !== '' && (facts.isGone(event.thing) || (event.parent !== '' && facts.isGone(event.parent)))) {
    return nothing('undone');
  }
  if (isLost(event, facts)) return nothing('accessLost');
  const verdict = facts.judge(type, event);
  if (verdict.kind === 'drop') return nothing(verdict.reason);
  const earlier = findTold(type, event, facts);
  if (earlier !== null) {
    const order = compareOrder(event, earlier.member);
    if (order <= 0) return nothing(earlier.member.present ? 'duplicate' : 'undone');
    if (event.timeMs - earlier.member.countedAtMs < limits.sameMeaningMs) return sameMeaning(event, earlier);
  }
  return news(type, event, facts, verdict);
}

/** Known already: remember the order and bring the member back if it was gone, but tell nobody again (BC-17). */
function sameMeaning(event: EventFacts, { group, member }: FoundMember): Decision {
  const again: Member = {
    ...member,
    seq: event.seq,
    timeMs: event.timeMs,
    present: true,
  };
  return {
    changes: [{ kind: 'members', item: group.item, members: [again], news: false, becomes: null }],
    tells: false,
    reason: 'duplicate',
  };
}

function news(type: TypeEntry, event: EventFacts, facts: RecipientFacts, verdict: Verdict): Decision {
  const isFiltered = verdict.kind === 'filter';
  const groupKey = isFiltered ? filteredKey(groupKeyOf(type, event)) : groupKeyOf(type, event);
  const member = toMember(type, event, true);
  const joined = type.isMention ? joinComment(type, event, facts, member) : null;
  if (joined !== null) return { ...joined, tells: false, reason: 'duplicate' };

  const absorbed = absorbMention(type, event, facts);
  const open = openGroup(facts.newest(groupKey), event.timeMs);
  const told = absorbed !== null || (open !== null && type.family !== type.name && isPresent(open));
  const members = absorbed === null ? [member] : [member, toMember(absorbed.mention, event, true)];
  const change: Change =
    open === null
      ? { kind: 'open', type, groupKey, members, hidden: false }
      : {
          kind: 'members',
          item: open.item,
          members,
          news: !told,
          becomes: type.isMention && isPresent(open) ? null : type,
        };
  const changes = absorbed === null ? [change] : [absorbed.change, change];
  const reason = told ? 'duplicate' : verdict.reason;
  const merged = told && !isFiltered ? mergedOf(type, absorbed?.told ?? open?.item ?? null) : null;
  return { changes, tells: !told && !isFiltered, reason, merged };
}

/** `told`: the row that a companion of `type` was told by. A mention leaves the row what it is. */
function mergedOf(type: TypeEntry, told: Item | null): Merged | null {
  const other = type.companions.find(({ name }) => name === told?.type);
  if (told === null || other === undefined) return null;
  return type.isMention ? { type: other, also: type, told } : { type, also: other, told };
}

/** The newest row of a group takes an event unless it has been read or began a span ago. One that comes late joins. */
export function openGroup(newest: GroupFacts | null, timeMs: number): GroupFacts | null {
  if (newest === null || newest.read || timeMs >= newest.beganMs + limits.groupSpanMs) return null;
  return newest;
}

type Joined = Pick<Decision, 'changes' | 'merged'>;

/** A mention in a comment that a row tells of already: the row is flagged (BC-04). */
function joinComment(type: TypeEntry, event: EventFacts, facts: RecipientFacts, member: Member): Joined | null {
  if (event.parent === '') return null;
  for (const commentType of type.mentionedIn) {
    const comment = findTold(commentType, event, facts);
    if (comment === null || !comment.member.present) continue;
    const { item } = comment.group;
    const change: Change = { kind: 'members', item, members: [member], news: false, becomes: null };
    return { changes: [change], merged: item.state === 'live' ? mergedOf(type, item) : null };
  }
  return null;
}

interface AbsorbedMention {
  readonly mention: TypeEntry;
  readonly change: Change;
  readonly told: Item;
}

/** A comment whose mention came first: the mention's row gives way to the comment's. */
function absorbMention({ mention }: TypeEntry, event: EventFacts, facts: RecipientFacts): AbsorbedMention | null {
  if (mention === null) return null;
  const found = findTold(mention, event, facts);
  if (found === null || !found.member.present) return null;
  const told = found.group.item;
  return { mention, change: { kind: 'withdraw', item: told }, told };
}

function isPresent(group: GroupFacts): boolean {
  return group.item.state !== 'removed';
}

export interface FoundMember {
  readonly group: GroupFacts;
  readonly member: Member;
}

/** The newest row that knows what this event would tell as one of `type`, in whichever view. */
function findTold(type: TypeEntry, event: EventFacts, facts: RecipientFacts): FoundMember | null {
  const groupKey = groupKeyOf(type, event);
  const memberKey = memberKeyOf(type, event);
  const listed = findMember(facts.newest(groupKey), memberKey);
  if (listed !== null || !facts.hasFiltered) return listed;
  return findMember(facts.newest(filteredKey(groupKey)), memberKey);
}

function findMember(newest: GroupFacts | null, key: string): FoundMember | null {
  for (let group = newest; group !== null; group = group.older) {
    const member = group.member(key);
    if (member !== undefined) return { group, member };
  }
  return null;
}

export function toMember(type: TypeEntry, event: EventFacts, present: boolean): Member {
  return {
    key: memberKeyOf(type, event),
    actor: event.actor(),
    thing: event.thing,
    countedAtMs: present ? event.timeMs : neverCounted,
    seq: event.seq,
    timeMs: event.timeMs,
    present,
    countedIn: 0,
  };
}
