/**
 * What is told outside the inbox, and when (D1, D6, D7, D10): asks the pure rules with what the shard knows of a person,
 * and turns their answers into what is stored with the row, timers, and dispatches.
 *
 * Every plan that is not carried out at once becomes a timer, also one that is due now: timers are durable before the rows
 * they belong to, so that a crash at any moment repeats a telling under the same id and never forgets one.
 */
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import { digest } from '../base/hash.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import { companionIn } from '../decide/companion-in.ts';
import { type ChannelFacts, type ChannelPlan, decideChannels, toChannelDecision } from '../decide/decide-channels.ts';
import type { Verdict } from '../decide/judge-source.ts';
import { lastCheck } from '../decide/last-check.ts';
import type { OutwardChannel } from '../deliver/outward-channel.ts';
import type { Item } from '../inbox/item.ts';
import { isAccessLost, isArchived, isSeen, isSnoozed } from '../inbox/item-state.ts';
import type { Group } from './group.ts';
import type { Person } from './person.ts';
import type { Timer } from './timer-store.ts';

export interface Moment {
  readonly kind: ChannelFacts['moment'];
  readonly nowMs: number;
  readonly eventTimeMs: number;
  /** Of the row; null where none is open, or at its end. */
  readonly windowEndsAtMs: number | null;
  /** Of the event, or of some event of the row (F3). */
  readonly askedForPush: boolean;
  /** The row tells of this type too (BC-04). */
  readonly also?: TypeEntry | null;
  /** As `tellingName`; null where it has none yet. */
  readonly telling: string | null;
}

const accepted: Verdict = { kind: 'accept', reason: 'default' };

/** One for each channel. To be asked only for people who can be reached. */
export function planTelling(person: Person, type: TypeEntry, moment: Moment): readonly ChannelPlan[] {
  return decideChannels(factsOf(person, type, moment, accepted));
}

/** The same for a row whose time has come, from how everything stands now (D11). In-app stays as it is. */
export function planRow(person: Person, group: Group, type: TypeEntry, moment: Moment): readonly ChannelPlan[] {
  const { item } = group;
  const { policy } = person.wishes;
  const also = companionIn(item, type);
  const facts = factsOf(person, type, { ...moment, also }, policy.judgeRow(type, item, moment.nowMs));
  const mark = person.marks.items.get(item.id);
  const about = {
    // An erased person has no rows.
    isErased: false,
    isSuspended: policy.profile?.facts?.suspended ?? false,
    isGone: item.state !== 'live' && !isAccessLost(item),
    isAccessLost: isAccessLost(item),
    isRead: group.read || isArchived(mark) || isSnoozed(mark, moment.nowMs),
    isSeen: isSeen(item, mark, person.marks),
  };
  return [
    ...decideChannels({ ...facts, verdict: accepted }).filter(({ channel }) => channel === 'inApp'),
    lastCheck('push', about, facts),
    lastCheck('email', about, facts),
  ];
}

function factsOf(person: Person, type: TypeEntry, moment: Moment, verdict: Verdict): ChannelFacts {
  const { policy, reach, capRules } = person.wishes;
  const stateOf = (channel: 'push' | 'email') => ({
    endpoint: reach[channel],
    windowEndsAtMs: moment.windowEndsAtMs,
    cappedUntilMs:
      reach[channel] === 'none' ? null : person.besides.notes.cappedUntilMs(capRules, type, channel, moment),
  });
  return {
    type,
    also: moment.also ?? null,
    choices: policy.choices,
    askedForPush: moment.askedForPush,
    verdict,
    push: stateOf('push'),
    email: stateOf('email'),
    isPresent: person.wishes.isLooking,
    quietUntilMs: policy.quietUntilMs(moment.nowMs),
    digestAtMs: policy.hasDigest ? policy.digestAtMs(moment.nowMs, person.besides.notes.digestDate) : null,
    eventTimeMs: moment.eventTimeMs,
    nowMs: moment.nowMs,
    moment: moment.kind,
  };
}

export function isOutward({ channel, kind }: ChannelPlan): boolean {
  return channel !== 'inApp' && kind !== 'skip';
}

export function asStored(plans: readonly ChannelPlan[]): readonly ChannelDecision[] {
  return plans.map(toChannelDecision);
}

/** What a window's timer is to do: end it, or tell what was to be told at once. */
export type WindowTask = 'end' | 'send';

export interface RowTimer {
  readonly item: Item['id'];
  readonly number: number;
  readonly task: WindowTask;
  /** Told by these channels alone; by all of them where absent. */
  readonly only?: readonly OutwardName[];
}

type OutwardName = OutwardChannel['name'];

/** The timer of a row's window, or of what is told of it without one. */
export function windowTimer(
  person: Person,
  item: Item,
  { dueMs, ...told }: Omit<RowTimer, 'item'> & { dueMs: number },
): Timer {
  const { number, task, only } = told;
  return {
    id: `${task}.${item.id}.${number}`,
    dueMs,
    revision: item.revision,
    person: person.key,
    kind: 'window',
    data: JSON.stringify({ item: item.id, number, task, ...(only && { only }) } satisfies RowTimer),
  };
}

/** The timer of a plan that holds: one for all that a channel of a person holds until then. */
export function holdTimer(person: Person, plan: ChannelPlan, item: Item, number: number): Timer {
  const dueMs = plan.untilMs as number;
  if (plan.reason === 'unseen') {
    const data = JSON.stringify({ item: item.id, number, task: 'send' } satisfies RowTimer);
    return {
      id: `unseen.${item.id}.${number}`,
      dueMs,
      revision: item.revision,
      person: person.key,
      kind: 'fallback',
      data,
    };
  }
  const kind = plan.reason === 'digest' ? 'digest' : 'release';
  return {
    id: `${kind}.${plan.channel}.${digest([person.key], 22)}`,
    dueMs,
    revision: item.revision,
    person: person.key,
    kind,
    data: plan.channel,
  };
}
