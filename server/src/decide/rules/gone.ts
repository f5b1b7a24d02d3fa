/**
 * The rule of deletions: a post, comment or message is gone, and with it every row about it and its part in others.
 * The deletion itself is remembered, so that a late event about the thing is not shown (BC-33).
 */
import type { Change, Decision } from '../decision.ts';
import type { EventFacts } from '../event-facts.ts';
import { goneKey } from '../keys.ts';
import type { GroupFacts, RecipientFacts } from '../recipient-facts.ts';
import { toMember } from './notify.ts';

export function gone(event: EventFacts, facts: RecipientFacts): Decision {
  if (event.thing === '' || facts.isGone(event.thing)) return { changes: [], tells: false, reason: 'undone' };
  const changes = removeAbout(event, facts);
  changes.push({
    kind: 'open',
    type: event.type,
    groupKey: goneKey(event.thing),
    members: [toMember(event.type, event, false)],
    hidden: true,
  });
  return { changes, tells: false, reason: 'undone' };
}

/** Everything about the event's thing goes, or what belongs to it: rows of it, and its part in others. */
export function removeAbout(event: EventFacts, facts: RecipientFacts): Change[] {
  const changes: Change[] = [];
  for (const group of facts.about(event.thing)) {
    if (group.item.state === 'removed') continue;
    if (isAbout(group, event.thing)) changes.push({ kind: 'withdraw', item: group.item });
    else changes.push(...leave(group, event));
  }
  return changes;
}

/** The whole row is about the thing or about something that belongs to it, rather than the thing being one of many. */
function isAbout(group: GroupFacts, thing: string): boolean {
  const { groupKey, object } = group.item;
  if (groupKey.endsWith(`\u0001${thing}`)) return true;
  return object.parent !== null && `${object.parent.kind}:${object.parent.id}` === thing;
}

function leave(group: GroupFacts, event: EventFacts): Change[] {
  const members = [...group.members()]
    .filter((member) => member.thing === event.thing && member.present)
    .map((member) => ({ ...member, seq: event.seq, timeMs: event.timeMs, present: false }));
  return members.length === 0 ? [] : [{ kind: 'members', item: group.item, members, news: false, becomes: null }];
}
