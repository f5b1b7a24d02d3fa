/**
 * What the events of a micro-batch leave to be told outside the inbox: the timers to write before its rows. Also where a
 * row learns what was decided for each channel.
 */
import type { ChannelDecision, Reason } from '@carillon/contract/reasons.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { ChannelPlan } from '../decide/decide-channels.ts';
import type { Merged } from '../decide/decision.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import { windowStartMs } from '../decide/notify-window.ts';
import type { OutwardChannel } from '../deliver/outward-channel.ts';
import type { Told, WindowOutcome } from './follow-window.ts';
import type { Group } from './group.ts';
import type { Person } from './person.ts';
import { noReach } from './reach.ts';
import { asStored, isOutward, type Moment, planTelling, windowTimer } from './telling.ts';
import type { Timer } from './timer-store.ts';

type OutwardName = OutwardChannel['name'];

export class Outbox {
  readonly timers: Timer[] = [];

  /**
   * Whether and from when on the row's window matters for an event that tells; null where nobody is to be told outside
   * the inbox, and the decisions say why.
   */
  begin(person: Person, type: TypeEntry, event: EventFacts): Told | null {
    if (person.wishes.reach === noReach || event.isMerged) return null;
    // Who looks at the app when a window ends is asked then.
    const windowEndsAtMs = type.notify === 'immediate' ? null : event.acceptedAtMs + type.windowMs;
    const plans = planTelling(person, type, momentOf(event, windowEndsAtMs));
    if (!plans.some(isOutward)) return null;
    return { policy: type, atMs: windowStartMs(event.timeMs, event.acceptedAtMs, type) };
  }

  /** The row is as it will be written, but for its decisions: answers those. `outcome` null: see `begin`. */
  end(group: Group, outcome: WindowOutcome | null, about: { person: Person; type: TypeEntry; event: EventFacts }) {
    const { person, type, event } = about;
    if (person.wishes.reach === noReach) return null;
    const { item } = group;
    const endsAtMs = outcome?.send === null ? item.window.endsAtMs : null;
    const plans = planTelling(person, type, momentOf(event, endsAtMs));
    const decisions: readonly ChannelDecision[] = asStored(event.isMerged ? plans.map(inAppOnly) : plans);
    if (outcome?.opened === true && item.window.endsAtMs !== null) {
      this.timers.push(
        windowTimer(person, item, { number: item.window.number, task: 'end', dueMs: item.window.endsAtMs }),
      );
    }
    const only = plans.filter(isOutward).map(({ channel }) => channel as OutwardName);
    if (outcome !== null && outcome.send !== null && only.length > 0) {
      const told = { number: outcome.send, task: 'send', only } as const;
      this.timers.push(windowTimer(person, item, { ...told, dueMs: event.acceptedAtMs }));
    }
    return decisions;
  }

  /**
   * A row tells of a second type now (BC-04). A channel that the first was not wanted on is told of it, by itself; one that
   * was told is not told again. Where a window is open, its end asks by the settings of both. A row that gave way to this
   * one leaves to it what it has not told.
   */
  merge(person: Person, group: Group, { type, also, told }: Merged, event: EventFacts): void {
    const { item } = group;
    if (person.wishes.reach === noReach || event.isMerged || item.window.endsAtMs !== null) return;
    const wanted = planTelling(person, type, { ...momentOf(event, null), also });
    const before = person.groupOf(told);
    const missed = wanted.filter((plan) => isOutward(plan) && isUntold(before, group, plan));
    if (missed.length === 0) return;
    const number = item.window.number + 1;
    item.window = { number, endsAtMs: null, untold: 0 };
    const others = item.decisions.filter(({ channel }) => !missed.some((plan) => plan.channel === channel));
    item.decisions = [...others, ...asStored(missed)];
    const only = missed.map(({ channel }) => channel as OutwardName);
    this.timers.push(windowTimer(person, item, { number, task: 'send', only, dueMs: event.acceptedAtMs }));
  }
}

/** It was for the person's settings alone that the channel was left out, or `before` has given way before it was told. */
function isUntold(before: Group, now: Group, { channel }: ChannelPlan): boolean {
  const known = before.item.decisions.find((each) => each.channel === channel);
  if (known === undefined) return false;
  if (known.kind === 'skip') return settingReasons.includes(known.reason);
  return before !== now && (before.isNew || known.kind === 'hold');
}

const settingReasons: readonly Reason[] = ['preference', 'categoryPreference', 'muteAll', 'default'];

/** Whoever opens the inbox is looking. */
function inAppOnly(plan: ChannelPlan): ChannelPlan {
  return isOutward(plan) ? { channel: plan.channel, kind: 'skip', reason: 'present', untilMs: null } : plan;
}

function momentOf(event: EventFacts, windowEndsAtMs: number | null): Moment {
  const { acceptedAtMs: nowMs, timeMs: eventTimeMs, askedForPush } = event;
  return { kind: 'now', nowMs, eventTimeMs, windowEndsAtMs, askedForPush, telling: null };
}
