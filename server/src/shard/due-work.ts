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
import type { PeopleCache } from './people-cache.ts';
import type { Person } from './person.ts';
import { asStored, holdTimer, type Moment, planRow, type RowTimer } from './telling.ts';
import type { Timer } from './timer-store.ts';

type OutwardName = OutwardChannel['name'];

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
    const { item: id, number, task } = JSON.parse(timer.data) as RowTimer;
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
    const plans = this.#plansFor(person, group, type, isFallback ? 'fallback' : 'now');
    // A fallback is about its own channel; what became of the others is known.
    const settled = isFallback ? plans.map((plan) => (plan.channel === 'email' ? plan : knownPlan(item, plan))) : plans;
    this.#record(person, group, settled);
    for (const plan of settled) {
      if (plan.channel === 'inApp' || (isFallback && plan.channel !== 'email')) continue;
      if (plan.kind === 'hold') this.timers.push(holdTimer(person, plan, item, sends));
      if (plan.kind === 'send') this.#send(person, plan.channel, [{ item, number: sends }]);
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
    const channel = data as OutwardName;
    const held = await this.#people.loadHeld(person, channel, this.#nowMs);
    const going: Group[] = [];
    const again = new Map<number, ChannelPlan>();
    for (const group of held) {
      const type = this.#catalogue.find(group.item.type);
      if (type === undefined) continue;
      const plans = this.#plansFor(person, group, type, kind === 'digest' ? 'digest' : 'now');
      const plan = plans.find((each) => each.channel === channel) as ChannelPlan;
      this.#record(
        person,
        group,
        plans.map((each) => (each === plan ? plan : knownPlan(group.item, each))),
      );
      if (plan.kind === 'send') going.push(group);
      if (plan.kind === 'hold') again.set(plan.untilMs as number, plan);
    }
    const rows = going.map(({ item }) => ({ ...item, isStillNews: true }));
    const byId = new Map<string, Item>(going.map(({ item }) => [item.id, item]));
    // A digest is one, whatever is in it.
    for (const push of kind === 'digest' ? inOne(rows) : planRelease(rows)) {
      const items = push.rows.flatMap((row) => byId.get(row.id) ?? []);
      this.#send(
        person,
        channel,
        items.map((item) => ({ item, number: heldNumber(item) })),
      );
    }
    const first = held[0]?.item;
    for (const plan of again.values()) if (first !== undefined) this.timers.push(holdTimer(person, plan, first, 0));
  }

  #plansFor(person: Person, group: Group, type: TypeEntry, kind: Moment['kind']): readonly ChannelPlan[] {
    const { item } = group;
    const { activityAtMs: eventTimeMs, askedForPush } = item;
    const moment = { kind, nowMs: this.#nowMs, eventTimeMs, windowEndsAtMs: null, askedForPush };
    return planRow(person, group, type, moment);
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

  #send(person: Person, channel: OutwardName, told: readonly { item: Item; number: number }[]): void {
    const ends = told.map(({ item }) => item.activityAtMs + (this.#catalogue.find(item.type)?.ttlMs ?? 0));
    const tells = told.map(({ item, number }) => ({ notification: item.id, number }));
    const times = { decidedAtMs: this.#nowMs, expiresAtMs: Math.max(...ends) };
    const dispatch = { person: person.key, tells, ...times };
    this.dispatches.push({ channel, dispatch });
  }
}

const noPolicy = { notify: 'immediate', windowMs: 0 } as const;

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
