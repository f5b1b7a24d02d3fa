/** Carries a decision out on a person in memory. What it touches is written with the micro-batch. */
import { type ChannelDecision, reasons } from '@carillon/contract/reasons.ts';
import type { Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { Change, Decision } from '../decide/decision.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import { movesUp } from '../decide/move.ts';
import { type FormerPlace, type Item, type ItemActor, type Member, noWindow } from '../inbox/item.ts';
import { accessLost, liveState, withoutWords } from '../inbox/item-state.ts';
import { notificationId } from '../inbox/notification-id.ts';
import { clearWindow, followWindow, type WindowOutcome } from './follow-window.ts';
import type { Group } from './group.ts';
import type { Outbox } from './outbox.ts';
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
  readonly outbox: Outbox;
}

/** Timers of what is to be told outside the inbox go to `outbox`. */
export function applyDecision(
  person: Person,
  event: EventFacts,
  decision: Decision,
  { nowMs, outbox }: { readonly nowMs: number; readonly outbox: Outbox },
): void {
  let last: Group | null = null;
  for (const change of decision.changes) {
    const step = { person, event, decision, outbox, revision: nextRevision(person.revision, nowMs) };
    last = change.kind === 'open' ? openRow(step, change) : changeRow(step, change);
  }
  const { merged } = decision;
  if (last !== null && merged !== null && merged !== undefined) outbox.merge(person, last, merged, event);
}

function openRow(step: Step, change: Opening): Group {
  const { person, event, outbox } = step;
  const group = person.newGroup(newItem(step, change));
  const tells = step.decision.tells && !change.hidden;
  const told = tells ? outbox.begin(person, change.type, event) : null;
  const outcome = followWindow(group, change.members, told);
  for (const member of outcome.members) group.setMember(member);
  group.refresh(step.revision);
  group.item.actorCountAtMove = group.item.actorCount;
  if (tells) noteTelling(step, group, told === null ? null : outcome, change.type);
  person.touch(group);
  return group;
}

/** What was decided for each channel, in the place of what was decided for an earlier event. */
function noteTelling(
  { person, event, decision, outbox }: Step,
  group: Group,
  outcome: WindowOutcome | null,
  type: TypeEntry,
): void {
  group.item.decisions = outbox.end(group, outcome, { person, type, event }) ?? inAppDecision(decision);
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
    state: hidden ? 'removed' : liveState(groupKey),
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
    askedForPush: event.askedForPush,
    window: noWindow,
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

function changeRow(step: Step, change: Exclude<Change, { kind: 'open' }>): Group {
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
  return group;
}

function withdraw({ revision, decision }: Step, group: Group): void {
  clearWindow(group);
  for (const member of [...group.members()]) if (member.present) group.setMember({ ...member, present: false });
  group.refresh(revision);
  if (decision.reason !== 'accessLost') return;
  const { item } = group;
  item.object = withoutWords(item.object);
  item.decisions = accessLost;
}

function changeMembers(step: Step, group: Group, change: MemberChange): void {
  const { person, event, decision, outbox, revision } = step;
  const { item } = group;
  const wasThere = item.state !== 'removed';
  if (change.news && event.askedForPush) item.askedForPush = true;
  // Read before anything is changed: whatever cannot be read must change nothing.
  const brings = !wasThere || (change.news && event.type.grouping === 'parent') ? event.object() : null;
  const type = change.becomes ?? toldType(event);
  const told = change.news && decision.tells ? outbox.begin(person, type, event) : null;
  const outcome = followWindow(group, change.members, told);
  for (const member of outcome.members) group.setMember(member);
  if (change.becomes !== null) {
    item.type = change.becomes.name;
    item.category = change.becomes.category;
    item.lane = change.becomes.lane;
  }
  group.refresh(revision);
  if (item.state === 'removed') clearWindow(group);
  // Of many things the row showed this one last.
  if (decision.reason === 'accessLost' && shows(item, event)) item.object = withoutWords(item.object);
  // A row that comes back without news has missed what reworded the thing meanwhile.
  if (brings !== null && item.state !== 'removed' && (change.news || brings.title !== null)) item.object = brings;
  if (!change.news) return;
  item.createdAtMs = Math.min(item.createdAtMs, event.timeMs);
  if (decision.tells) noteTelling(step, group, told === null ? null : outcome, type);
  else item.decisions = inAppDecision(decision);
  // A row that was withdrawn and comes back with news is activity of its own, however small.
  if (wasThere && !movesUp(item, event.timeMs, item.actorCount)) return;
  group.moveTo(Math.max(event.timeMs, item.activityAtMs), revision, limits.formerPlacesMax);
  person.placed(group);
}

function shows({ object }: Item, { thing }: EventFacts): boolean {
  return `${object.kind}:${object.id}` === thing;
}

/** What an event tells as: an edit tells of a mention. */
function toldType({ type }: EventFacts): TypeEntry {
  return (type.rule === 'edit' ? type.mention : null) ?? type;
}
