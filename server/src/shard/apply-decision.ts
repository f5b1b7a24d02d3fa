/** Carries a decision out on a person in memory. What it touches is written with the micro-batch. */
import { type ChannelDecision, reasons } from '@carillon/contract/reasons.ts';
import type { Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import type { Change, Decision } from '../decide/decision.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import { movesUp } from '../decide/move.ts';
import type { FormerPlace, Item, ItemActor, Member } from '../inbox/item.ts';
import { notificationId } from '../inbox/notification-id.ts';
import type { Group } from './group.ts';
import type { Person } from './person.ts';

const noDecisions: readonly ChannelDecision[] = [];
const noPlaces: readonly FormerPlace[] = [];
const noMembers: readonly Member[] = [];
const noActors: readonly ItemActor[] = [];

type Opening = Change & { kind: 'open' };
type MemberChange = Change & { kind: 'members' };

/** What one change needs: whose inbox, by which event and decision, and the revision it gets. */
interface Step {
  readonly person: Person;
  readonly event: EventFacts;
  readonly decision: Decision;
  readonly revision: Revision;
}

export function applyDecision(person: Person, event: EventFacts, decision: Decision, nowMs: number): void {
  for (const change of decision.changes) {
    const step = { person, event, decision, revision: nextRevision(person.revision, nowMs) };
    if (change.kind === 'open') openRow(step, change);
    else changeRow(step, change);
  }
}

function openRow(step: Step, change: Opening): void {
  const group = step.person.newGroup(newItem(step, change));
  for (const member of change.members) group.setMember(member);
  group.refresh(step.revision);
  group.item.actorCountAtMove = group.item.actorCount;
  step.person.touch(group);
}

function newItem({ person, event, decision, revision }: Step, { type, groupKey, hidden }: Opening): Item {
  const { source, id: eventId, timeMs } = event;
  const { tenant, user } = person;
  return {
    id: notificationId({ tenant, user, type: type.name, source, eventId, timeMs }),
    type: type.name,
    category: type.category,
    lane: type.lane,
    groupKey,
    state: hidden ? 'removed' : 'live',
    createdAtMs: timeMs,
    activityAtMs: timeMs,
    createdRevision: revision,
    activityRevision: revision,
    revision,
    acceptedAtMs: event.acceptedAtMs,
    actors: noActors,
    actorCount: 0,
    actorCountIsEstimate: false,
    actorCountAtMove: 0,
    object: event.object(),
    mentioned: false,
    formerPlaces: noPlaces,
    openedBy: { source, id: eventId },
    decisions: inAppDecision(decision),
    opening: noMembers,
    sketch: null,
  };
}

/** One list for each of the few decisions there are, shared by all rows. */
const inAppDecisions = new Map(
  reasons.flatMap((reason) =>
    [true, false].map((tells): [string, readonly ChannelDecision[]] => [
      `${tells}${reason}`,
      [{ channel: 'inApp', kind: tells ? 'send' : 'skip', reason }],
    ]),
  ),
);

function inAppDecision({ tells, reason }: Decision): readonly ChannelDecision[] {
  return inAppDecisions.get(`${tells}${reason}`) ?? noDecisions;
}

function changeRow(step: Step, change: Exclude<Change, { kind: 'open' }>): void {
  const group = step.person.groupOf(change.item);
  const { item } = group;
  item.acceptedAtMs = Math.max(item.acceptedAtMs, step.event.acceptedAtMs);
  switch (change.kind) {
    case 'members':
      changeMembers(step, group, change);
      break;
    case 'withdraw':
      withdraw(step, group);
      break;
    case 'reword':
      item.object = step.event.object();
      item.revision = step.revision;
      break;
  }
  step.person.touch(group);
}

function withdraw({ revision }: Step, group: Group): void {
  for (const member of [...group.members()]) if (member.present) group.setMember({ ...member, present: false });
  group.refresh(revision);
}

function changeMembers({ person, event, decision, revision }: Step, group: Group, change: MemberChange): void {
  const { item } = group;
  const wasLive = item.state === 'live';
  // Read before anything is changed: whatever cannot be read must change nothing.
  const brings = !wasLive || (change.news && event.type.grouping === 'parent') ? event.object() : null;
  for (const member of change.members) group.setMember(member);
  if (change.becomes !== null) {
    item.type = change.becomes.name;
    item.category = change.becomes.category;
    item.lane = change.becomes.lane;
  }
  group.refresh(revision);
  // A row that comes back without news has missed what reworded the thing meanwhile.
  if (brings !== null && item.state === 'live' && (change.news || brings.title !== null)) item.object = brings;
  if (!change.news) return;
  item.createdAtMs = Math.min(item.createdAtMs, event.timeMs);
  item.decisions = inAppDecision(decision);
  // A row that was withdrawn and comes back with news is activity of its own, however small.
  if (wasLive && !movesUp(item, event.timeMs, item.actorCount)) return;
  group.moveTo(Math.max(event.timeMs, item.activityAtMs), revision, limits.formerPlacesMax);
  person.placed(group);
}
