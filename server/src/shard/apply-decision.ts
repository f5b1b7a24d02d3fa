/** Carries a decision out on a person in memory. What it touches is written with the micro-batch. */
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import type { Change, Decision } from '../decide/decision.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import { movesUp } from '../decide/move.ts';
import type { Item } from '../inbox/item.ts';
import { notificationId } from '../inbox/notification-id.ts';
import type { Group } from './group.ts';
import { Members } from './members.ts';
import type { Person } from './person.ts';

export function applyDecision(person: Person, event: EventFacts, decision: Decision, nowMs: number): void {
  for (const change of decision.changes) {
    const revision = nextRevision(person.revision, nowMs);
    if (change.kind === 'open') openRow(person, event, change, decision, revision);
    else changeRow(person, event, change, decision, revision);
  }
}

function openRow(
  person: Person,
  event: EventFacts,
  change: Change & { kind: 'open' },
  decision: Decision,
  revision: number,
): void {
  const members = new Members();
  const group = person.newGroup(newItem(person, event, change, decision, revision), members);
  for (const member of change.members) group.setMember(member);
  group.refresh(revision);
  group.item.actorCountAtMove = group.item.actorCount;
  person.touch(group);
}

function newItem(
  person: Person,
  event: EventFacts,
  change: Change & { kind: 'open' },
  decision: Decision,
  revision: number,
): Item {
  const { type, groupKey } = change;
  const { source, id: eventId, timeMs } = event;
  const { tenant, user } = person;
  return {
    id: notificationId({ tenant, user, type: type.name, source, eventId, timeMs }),
    type: type.name,
    category: type.category,
    lane: type.lane,
    groupKey,
    state: change.hidden ? 'removed' : 'live',
    createdAtMs: timeMs,
    activityAtMs: timeMs,
    createdRevision: revision,
    activityRevision: revision,
    revision,
    acceptedAtMs: event.acceptedAtMs,
    actors: [],
    actorCount: 0,
    actorCountIsEstimate: false,
    actorCountAtMove: 0,
    object: event.object(),
    mentioned: false,
    formerPlaces: [],
    openedBy: { source, id: eventId },
    decisions: inAppDecision(decision),
  };
}

function inAppDecision(decision: Decision): readonly ChannelDecision[] {
  return [{ channel: 'inApp', kind: decision.tells ? 'send' : 'skip', reason: decision.reason }];
}

function changeRow(
  person: Person,
  event: EventFacts,
  change: Exclude<Change, { kind: 'open' }>,
  decision: Decision,
  revision: number,
): void {
  const group = person.groupOf(change.item);
  switch (change.kind) {
    case 'members':
      changeMembers(person, group, event, { change, decision, revision });
      break;
    case 'withdraw':
      for (const member of [...group.members()]) if (member.present) group.setMember({ ...member, present: false });
      group.refresh(revision);
      break;
    case 'reword':
      group.item.object = event.object();
      group.item.revision = revision;
      break;
  }
  person.touch(group);
}

function changeMembers(
  person: Person,
  group: Group,
  event: EventFacts,
  { change, decision, revision }: { change: Change & { kind: 'members' }; decision: Decision; revision: number },
): void {
  const { item } = group;
  const wasLive = item.state === 'live';
  for (const member of change.members) group.setMember(member);
  if (change.becomes !== null) {
    item.type = change.becomes.name;
    item.category = change.becomes.category;
    item.lane = change.becomes.lane;
  }
  group.refresh(revision);
  item.acceptedAtMs = Math.max(item.acceptedAtMs, event.acceptedAtMs);
  item.createdAtMs = Math.min(item.createdAtMs, change.news ? event.timeMs : item.createdAtMs);
  if (!change.news) return;
  if (event.type.grouping === 'parent') item.object = event.object();
  if (decision.tells) item.decisions = inAppDecision(decision);
  // A row that was withdrawn and comes back with news is activity of its own, however small.
  if (wasLive ? movesUp(item, event.timeMs, item.actorCount) : true) {
    person.reorder(group, () =>
      group.moveTo(Math.max(event.timeMs, item.activityAtMs), revision, limits.formerPlacesMax),
    );
  }
}
