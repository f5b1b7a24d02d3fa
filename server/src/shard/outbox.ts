/**
 * What the events of a micro-batch leave to be told outside the inbox: the timers to write before its rows. Also where a
 * row learns what was decided for each channel.
 */
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { ChannelPlan } from '../decide/decide-channels.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import { windowStartMs } from '../decide/notify-window.ts';
import type { Told, WindowOutcome } from './follow-window.ts';
import type { Group } from './group.ts';
import type { Person } from './person.ts';
import { noReach } from './reach.ts';
import { asStored, isOutward, type Moment, planTelling, windowTimer } from './telling.ts';
import type { Timer } from './timer-store.ts';

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
    if (outcome !== null && outcome.send !== null) {
      this.timers.push(windowTimer(person, item, { number: outcome.send, task: 'send', dueMs: event.acceptedAtMs }));
    }
    return decisions;
  }
}

/** Whoever opens the inbox is looking. */
function inAppOnly(plan: ChannelPlan): ChannelPlan {
  return isOutward(plan) ? { channel: plan.channel, kind: 'skip', reason: 'present', untilMs: null } : plan;
}

function momentOf(event: EventFacts, windowEndsAtMs: number | null): Moment {
  const { acceptedAtMs: nowMs, timeMs: eventTimeMs, askedForPush } = event;
  return { kind: 'now', nowMs, eventTimeMs, windowEndsAtMs, askedForPush, telling: null };
}
