/**
 * What timers that are due lead to: rows that change, dispatches, and further timers. Decides from the state it finds, so
 * that a timer that fires late, twice, or for a row that is gone does no harm: the same telling has the same name.
 */
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import { nextRevision } from '../base/revision.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { ChannelPlan } from '../decide/decide-channels.ts';
import { transition } from '../decide/notify-window.ts';
import { type HeldRow, type PlannedPush, planRelease } from '../decide/plan-release.ts';
import type { Dispatch, OutwardChannel } from '../deliver/outward-channel.ts';
import type { Item } from '../inbox/item.ts';
import type { Group } from './group.ts';
import { type GoingRow, heldRows } from './held-rows.ts';
import { tellingName } from './notes.ts';
import type { PeopleCache } from './people-cache.ts';
import type { Person } from './person.ts';
import { asStored, holdTimer, type Moment, planRow, type RowTimer } from './telling.ts';
import type { Timer } from './timer-store.ts';

type OutwardName = OutwardChannel['name'];

interface Told {
  readonly item: Item;
  readonly number: number;
  /** From when on it is worth telling for a while. */
  readonly sinceMs: number;
  readonly moment: Moment['kind'];
}

export class DueWork {
  readonly timers: Timer[] = [];
  readonly dispatches: { readonly channel: OutwardName; readonly dispatch: Dispatch }[] = [];
  readonly #people: PeopleCache;
  readonly #catalogue: TypeCatalogue;
  readonly #nowMs: number;

  constructor(people: PeopleCache, catalogue: TypeCatalogue, nowMs: number) {
    this.#people = people;
    this.#catalogue = catalogue;
    this.#nowMs = nowMs;
  }

  async run(person: Person, timer: Timer): Promise<void> {
    if (timer.kind === 'window' || timer.kind === 'fallback') await this.#tellRow(person, timer);
    else if (timer.kind === 'release' || timer.kind === 'digest') await this.#release(person, timer);
  }

  async #tellRow(person: Person, timer: Timer): Promise<void> {
    const { item: id, number, task, only = outward } = JSON.parse(timer.data) as RowTimer;
    const group = await this.#people.loadRow(person, id);
    if (group === null) return;
    const { item } = group;
    let sends: number | null = number;
    if (task === 'end') {
      const step = transition(item.window, { kind: 'end', number }, noPolicy);
      if (step.window !== item.window) this.#change(person, group, { window: step.window });
      sends = step.send;
      if (sends === null) this.#undone(person, group, waitsForWindow);
    }
    if (sends === null) return;
    const type = this.#catalogue.find(item.type);
    if (type === undefined) return;
    const isFallback = timer.kind === 'fallback';
    const tellers = isFallback ? emailOnly : only;
    const asked = { kind: isFallback ? 'fallback' : 'now', number: sends, eventTimeMs: item.activityAtMs } as const;
    const plans = this.#plansFor(person, group, type, asked);
    // It is about its own channels; what became of the others is known.
    const isTold = (plan: ChannelPlan): boolean => tellers.some((channel) => channel === plan.channel);
    const settled = plans.map((plan) => (isTold(plan) ? plan : knownPlan(item, plan)));
    this.#record(person, group, settled);
    for (const plan of settled) {
      if (plan.channel === 'inApp' || !isTold(plan)) continue;
      if (plan.kind === 'hold') this.#hold(person, plan, item, sends);
      if (plan.kind !== 'send') continue;
      const told = [{ item, number: sends, sinceMs: item.activityAtMs, moment: asked.kind }];
      this.#send(person, plan.channel, told);
      this.#count(person, plan.channel, told);
    }
  }

  /** Whoever was to be told of has gone again. What the row says of its channels follows, where `isMeant`. */
  #undone(person: Person, group: Group, isMeant: (decision: ChannelDecision) => boolean): void {
    const { decisions } = group.item;
    const isUndone = (decision: ChannelDecision): boolean => decision.channel !== 'inApp' && isMeant(decision);
    if (!decisions.some(isUndone)) return;
    const undone = decisions.map((decision): ChannelDecision => {
      return isUndone(decision) ? { channel: decision.channel, kind: 'skip', reason: 'undone' } : decision;
    });
    this.#change(person, group, { decisions: undone });
  }

  /** What was held is let go: what is still news by itself, or put together where there is much of it (D7, BC-26). */
  async #release(person: Person, { kind, data }: Timer): Promise<void> {
    const [channel, isReplanned] = data.split(' ') as [OutwardName, string | undefined];
    person.besides.notes.letGo(channel, this.#nowMs);
    const by = kind === 'digest' ? 'digest' : 'release';
    const date = by === 'digest' && !isReplanned ? this.#digestDate(person) : null;
    const isDigest = date !== null;
    const untilMs = isReplanned ? Number.POSITIVE_INFINITY : this.#nowMs;
    const held = await this.#people.loadHeld(person, { channel, by, nowMs: untilMs }, this.#nowMs);
    const going: GoingRow[] = [];
    for (const group of held) {
      const { item } = group;
      const type = this.#catalogue.find(item.type);
      if (type === undefined) continue;
      const number = heldNumber(item);
      const wasCapped = item.decisions.some((each) => each.channel === channel && each.reason === 'cap');
      // A digest tells of days, and a summary of all that a cap has held.
      const eventTimeMs = wasCapped || isDigest ? this.#nowMs : item.activityAtMs;
      const asked = { kind: isDigest ? 'digest' : releaseMoment(by, channel, type), number, eventTimeMs } as const;
      const plans = this.#plansFor(person, group, type, asked);
      const plan = plans.find((each) => each.channel === channel) as ChannelPlan;
      this.#record(
        person,
        group,
        plans.map((each) => (each === plan ? plan : knownPlan(item, each))),
      );
      if (plan.kind === 'send') going.push({ item, type, wasCapped, sinceMs: eventTimeMs });
      if (plan.kind === 'hold') this.#hold(person, plan, item, number);
    }
    const rows = heldRows(person, channel, going, this.#nowMs);
    const byId = new Map<string, GoingRow>(going.map((row) => [row.item.id, row]));
    // A digest is one, whatever is in it.
    for (const push of isDigest ? inOne(rows) : planRelease(rows)) {
      const told = push.rows
        .map(({ id }) => byId.get(id) as GoingRow)
        .map(({ item, type, sinceMs }) => {
          const moment = isDigest ? 'digest' : releaseMoment(by, channel, type);
          return { item, number: heldNumber(item), sinceMs, moment };
        });
      this.#send(person, channel, told);
      if (isDigest) person.besides.notes.digestMade(date, this.#nowMs);
      else this.#count(person, channel, told);
    }
  }

  /**
   * The date that a digest is to be made for now; null where its hour is still to come, because the person has moved or
   * chosen another. Whoever has no digests any more gets what waits for one at the hour that it had.
   */
  #digestDate({ wishes: { policy }, besides }: Person): string | null {
    return policy.hasDigest ? policy.digestDue(this.#nowMs, besides.notes.digestDate) : undated;
  }

  #plansFor(
    person: Person,
    group: Group,
    type: TypeEntry,
    { kind, number, eventTimeMs }: { kind: Moment['kind']; number: number; eventTimeMs: number },
  ): readonly ChannelPlan[] {
    const { id, askedForPush } = group.item;
    const times = { nowMs: this.#nowMs, eventTimeMs, windowEndsAtMs: null };
    return planRow(person, group, type, { kind, ...times, askedForPush, telling: tellingName(id, number) });
  }

  #hold(person: Person, plan: ChannelPlan, item: Item, number: number): void {
    this.timers.push(holdTimer(person, plan, item, number));
    if (plan.reason !== 'cap' || plan.channel === 'inApp') return;
    const type = this.#catalogue.find(item.type);
    if (type !== undefined) person.besides.notes.held(type, plan.channel, plan.untilMs as number, this.#nowMs);
  }

  /** Stores what was decided, where that is not what the row says already. */
  #record(person: Person, group: Group, plans: readonly ChannelPlan[]): void {
    const decisions = asStored(plans);
    if (JSON.stringify(decisions) !== JSON.stringify(group.item.decisions)) this.#change(person, group, { decisions });
  }

  #change(person: Person, group: Group, change: Partial<Pick<Item, 'window' | 'decisions'>>): void {
    const revision = nextRevision(person.revision, this.#nowMs);
    Object.assign(group.item, change, { revision });
    person.touch(group);
  }

  /** One for each category that it tells of. */
  #count(person: Person, channel: OutwardName, told: readonly Told[]): void {
    const counted = new Set<string>();
    for (const { item, number } of told) {
      const type = this.#catalogue.find(item.type);
      if (type === undefined || counted.has(type.category)) continue;
      const named = { telling: tellingName(item.id, number), nowMs: this.#nowMs };
      // Of one category some types may be capped and others not.
      if (person.besides.notes.sent(person.wishes.capRules, type, channel, named)) counted.add(type.category);
    }
  }

  #send(person: Person, channel: OutwardName, told: readonly Told[]): void {
    const ends = told.map(({ item, sinceMs }) => sinceMs + (this.#catalogue.find(item.type)?.ttlMs ?? 0));
    const tells = told.map(({ item, number }) => ({ notification: item.id, number }));
    const times = { decidedAtMs: this.#nowMs, expiresAtMs: Math.max(...ends) };
    const lane = told[0]?.item.lane ?? 'social';
    // What has waited to be seen must not wait once more because of what it goes with.
    const moment = told.find((each) => each.moment !== 'now')?.moment ?? 'now';
    const dispatch = { person: person.key, tells, lane, moment, ...times };
    this.dispatches.push({ channel, dispatch });
  }
}

const outward: readonly OutwardName[] = ['push', 'email'];
const emailOnly: readonly OutwardName[] = ['email'];

const noPolicy = { notify: 'immediate', windowMs: 0 } as const;

/** Stands before all dates. */
const undated = '';

/** What was let go has waited to be seen already, where it had to; what still waits for a digest has not. */
function releaseMoment(by: 'release' | 'digest', channel: OutwardName, type: TypeEntry): Moment['kind'] {
  return by === 'release' && channel === 'email' && type.emailMode === 'fallback' ? 'fallback' : 'now';
}

/** What matters more comes first, as in a release. */
function inOne(rows: readonly HeldRow[]): PlannedPush[] {
  return rows.length === 0 ? [] : planRelease(rows, 1);
}

/** What is held is what was to be told last: before the window that is still open, if one is. */
function heldNumber({ window }: Item): number {
  return window.endsAtMs === null ? window.number : window.number - 1;
}

function waitsForWindow({ kind, reason }: ChannelDecision): boolean {
  return kind === 'hold' && reason === 'window';
}

/** What the row says of a channel already. */
function knownPlan(item: Item, plan: ChannelPlan): ChannelPlan {
  const known = item.decisions.find(({ channel }) => channel === plan.channel);
  if (known === undefined) return plan;
  const untilMs = known.until === undefined ? null : Date.parse(known.until);
  return { channel: known.channel, kind: known.kind, reason: known.reason, untilMs };
}
