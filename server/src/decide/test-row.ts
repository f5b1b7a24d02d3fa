/**
 * A row with a notify window for tests: members, timers and sends as a shard keeps them, written in its order (timers,
 * then row and sends as one, then finished timers), so that a crash in between can be played. It checks each send
 * against sets of people, which the window itself does not have.
 */
import { type NotifyWindow, noWindow } from '../inbox/item.ts';
import { transition, type WindowEvent, type WindowPolicy } from './notify-window.ts';

interface Member {
  readonly isPresent: boolean;
  readonly countedIn: number;
}

interface Stored {
  readonly window: NotifyWindow;
  readonly members: ReadonlyMap<string, Member>;
}

type Change = (stored: Stored) => { event: WindowEvent | null; members: ReadonlyMap<string, Member>; actor: string };

export class TestRow {
  /** Number, time, and everybody in the row. */
  readonly sends: [number: number, atMs: number, people: string][] = [];
  /** By window, when it ends. */
  readonly timers = new Map<number, number>();
  /** What was sent wrongly, or not sent. */
  readonly faults: string[] = [];
  nextCrash: 'none' | 'afterTimers' | 'afterRow' = 'none';
  readonly #policy: WindowPolicy;
  #stored: Stored = { window: noWindow, members: new Map() };
  #nowMs = 0;
  /** Whom sends were about, or who came after a cool-down that lets nobody be told again. */
  #settled = new Set<string>();

  constructor(policy: WindowPolicy) {
    this.#policy = policy;
  }

  get window(): NotifyWindow {
    return this.#stored.window;
  }

  /** Each person is news once: again within 24 h is not. */
  like(actor: string, atMs: number): this {
    return this.#apply(atMs, ({ members }) => {
      const before = members.get(actor);
      if (before?.isPresent) return { event: null, members, actor };
      if (before === undefined) {
        return { event: { kind: 'tell', atMs, countedIn: null }, members: withMember(members, actor, 0), actor };
      }
      const event = { kind: 'back', countedIn: before.countedIn } as const;
      return { event, members: withMember(members, actor, before.countedIn), actor };
    });
  }

  unlike(actor: string, atMs: number): this {
    return this.#apply(atMs, ({ members }) => {
      const before = members.get(actor);
      if (!before?.isPresent) return { event: null, members, actor };
      const left = new Map(members).set(actor, { ...before, isPresent: false });
      return { event: { kind: 'leave', countedIn: before.countedIn }, members: left, actor };
    });
  }

  end(number: number): this {
    return this.#apply(this.#nowMs, ({ members }) => ({ event: { kind: 'end', number }, members, actor: '' }));
  }

  /** Runs the timers that are due, in their order, each until it is done. */
  runUntil(untilMs: number): this {
    for (;;) {
      const [next] = [...this.timers].filter(([, dueMs]) => dueMs <= untilMs).sort(([, a], [, b]) => a - b);
      if (next === undefined) return this;
      const [number, dueMs] = next;
      this.#nowMs = Math.max(this.#nowMs, dueMs);
      this.end(number);
      this.timers.delete(number);
    }
  }

  /** One step; a crash repeats it from what is stored. */
  #apply(atMs: number, change: Change): this {
    this.#nowMs = Math.max(this.#nowMs, atMs);
    const crash = this.nextCrash;
    if (crash !== 'none') {
      this.nextCrash = 'none';
      this.#write(change, crash);
    }
    this.#write(change, 'none');
    return this;
  }

  #write(change: Change, crash: 'none' | 'afterTimers' | 'afterRow'): void {
    const { event, members, actor } = change(this.#stored);
    if (event === null) return;
    const before = this.#stored;
    const { window, send, opened, countedIn } = transition(before.window, event, this.#policy);
    if (opened) this.timers.set(window.number, window.endsAtMs as number);
    if (crash === 'afterTimers') return;
    const counted = event.kind === 'tell' ? withMember(members, actor, countedIn) : members;
    this.#stored = { window, members: counted };
    this.#check(event, send);
  }

  #check(event: WindowEvent, send: number | null): void {
    const present = [...this.#stored.members].filter(([, member]) => member.isPresent).map(([name]) => name);
    const isNews = present.some((name) => !this.#settled.has(name));
    const endsWindow = event.kind === 'end' && this.#stored.window.number === event.number;
    if (send !== null) {
      if (!isNews) this.faults.push(`send ${send} tells of nobody new`);
      this.sends.push([send, this.#nowMs, present.sort().join(',')]);
    } else if (endsWindow && isNews) {
      this.faults.push(`window ${event.number} ended and told nobody of ${present}`);
    }
    // Who was gone when a window ended and comes back within the cool-down is told of to nobody.
    if (send !== null || endsWindow) for (const name of this.#stored.members.keys()) this.#settled.add(name);
  }
}

function withMember(members: ReadonlyMap<string, Member>, actor: string, countedIn: number): Map<string, Member> {
  return new Map(members).set(actor, { isPresent: true, countedIn });
}
