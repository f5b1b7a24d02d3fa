/**
 * The rule of types that take something back: an unlike, an unfollow. The person leaves the row, and the row goes when
 * nobody is left (E7, D5). An undo that comes before what it undoes is remembered, so that the late one tells nobody.
 */
import type { TypeEntry } from '../../content/type-entry.ts';
import { filteredKey } from '../../inbox/filtered-key.ts';
import type { Change, Decision } from '../decision.ts';
import type { EventFacts } from '../event-facts.ts';
import { groupKeyOf, memberKeyOf } from '../keys.ts';
import { compareOrder } from '../order.ts';
import type { GroupFacts, RecipientFacts } from '../recipient-facts.ts';
import { openGroup, toMember } from './notify.ts';

export function undo(event: EventFacts, facts: RecipientFacts): Decision {
  const changes: Change[] = [];
  let isKnown = false;
  for (const type of event.type.undone) isKnown = takeBack(type, event, facts, changes) || isKnown;
  if (!isKnown) for (const type of event.type.undone) changes.push(remember(type, event, facts));
  return { changes, tells: false, reason: 'undone' };
}

/** Takes back what events of `type` about the same actor and thing did. Answers whether any are known. */
export function takeBack(type: TypeEntry, event: EventFacts, facts: RecipientFacts, changes: Change[]): boolean {
  const key = memberKeyOf(type, event);
  let isKnown = false;
  for (const group of rowsOf(type, event, facts)) {
    const member = group.member(key);
    if (member === undefined) continue;
    isKnown = true;
    const order = compareOrder(event, member);
    if (order < 0 || (order === 0 && !member.present)) continue;
    const left = { ...member, seq: event.seq, timeMs: event.timeMs, present: false };
    changes.push({ kind: 'members', item: group.item, members: [left], news: false, becomes: null });
  }
  return isKnown;
}

/** A mention may live in its own row or in the row of the comment it stands in. */
function* rowsOf(type: TypeEntry, event: EventFacts, facts: RecipientFacts): Iterable<GroupFacts> {
  yield* inBothViews(groupKeyOf(type, event), facts);
  if (event.parent === '') return;
  for (const comment of type.mentionedIn) yield* inBothViews(groupKeyOf(comment, event), facts);
}

function* inBothViews(groupKey: string, facts: RecipientFacts): Iterable<GroupFacts> {
  yield* chain(facts.newest(groupKey));
  if (facts.hasFiltered) yield* chain(facts.newest(filteredKey(groupKey)));
}

function* chain(newest: GroupFacts | null): Iterable<GroupFacts> {
  for (let group = newest; group !== null; group = group.older) yield group;
}

export function remember(type: TypeEntry, event: EventFacts, facts: RecipientFacts): Change {
  const groupKey = groupKeyOf(type, event);
  const member = toMember(type, event, false);
  const open = openGroup(facts.newest(groupKey), event.timeMs);
  return open === null
    ? { kind: 'open', type, groupKey, members: [member], hidden: true }
    : { kind: 'members', item: open.item, members: [member], news: false, becomes: null };
}
