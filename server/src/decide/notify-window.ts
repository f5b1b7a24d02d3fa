/**
 * The notify window of one row (D6): when its events are told by push and email. In-app never waits for it.
 *
 *   closed ──tell──▶ open ──end──▶ closed
 *
 * - `immediate`: each event that tells is sent at once; no window opens.
 * - `trailing`: the first event that tells opens a window; its end sends one for everybody who is in the row and has not
 *   been told of, and nothing if all of them are gone again [BC-20].
 * - `leading`: the first is sent at once and opens a window; its end sends one that replaces it, if the row grew.
 * - A window closes in the step that decides what its end sends. Who comes after that opens the next one [BC-21].
 * - An event that is no news (the same again within 24 h) opens nothing; it only brings back whom an open window has
 *   lost [BC-17].
 *
 * Sends are numbered, and so is the window a member was counted in: that tells, without a list of people, whether a
 * member who leaves was still to be told of. `end` of a window that is not the open one does nothing, so a timer that
 * fires twice, late, or on two machines makes one send [BC-14, BC-15]: state and send are written as one, and the
 * number is part of the send's id.
 *
 * Plain data, kept in the row. Times are those of events, so that an event applied again after a crash opens the same
 * window with the same timer.
 */
import type { TypeEntry } from '../content/type-entry.ts';
import type { NotifyWindow } from '../inbox/item.ts';

export type WindowPolicy = Pick<TypeEntry, 'notify' | 'windowMs'>;

export type WindowEvent =
  /**
   * An event that tells. `atMs`: see `windowStartMs`. `countedIn`: of the member, if it is in the row already.
   */
  | { readonly kind: 'tell'; readonly atMs: number; readonly countedIn: number | null }
  /** A member is back, and it is no news. */
  | { readonly kind: 'back'; readonly countedIn: number }
  /** A member has gone. */
  | { readonly kind: 'leave'; readonly countedIn: number }
  /** All members have gone, or the person has read the row. */
  | { readonly kind: 'clear' }
  /** The time of the window of this number has come. */
  | { readonly kind: 'end'; readonly number: number };

export interface WindowStep {
  readonly window: NotifyWindow;
  /** The number of what is to be sent now, or null. */
  readonly send: number | null;
  /** Whether the window has just opened: its timer is due at `endsAtMs`. */
  readonly opened: boolean;
  /** For `tell`: what to keep with the member, as what it was counted in. */
  readonly countedIn: number;
}

type Handler = (window: NotifyWindow, event: never, policy: WindowPolicy) => WindowStep;
type Phase = 'closed' | 'open';

const table: Record<Phase, Record<WindowEvent['kind'], Handler>> = {
  closed: { tell: begin, back: stay, leave: stay, clear: stay, end: stay },
  open: { tell: join, back: comeBack, leave: leave, clear: forget, end: finish },
};

export function transition(window: NotifyWindow, event: WindowEvent, policy: WindowPolicy): WindowStep {
  const phase = window.endsAtMs === null ? 'closed' : 'open';
  return table[phase][event.kind](window, event as never, policy);
}

/**
 * When a window begins that an event opens: at the event's own time, since it is what people were told to wait from; at
 * intake for one that lies ahead or came later than a window lasts, which would end before it began.
 */
export function windowStartMs(eventTimeMs: number, acceptedAtMs: number, { windowMs }: WindowPolicy): number {
  const isRecent = eventTimeMs <= acceptedAtMs && eventTimeMs > acceptedAtMs - windowMs;
  return isRecent ? eventTimeMs : acceptedAtMs;
}

type EventOf<Kind extends WindowEvent['kind']> = Extract<WindowEvent, { kind: Kind }>;

function stay(window: NotifyWindow): WindowStep {
  return { window, send: null, opened: false, countedIn: window.number };
}

function begin({ number }: NotifyWindow, { atMs }: EventOf<'tell'>, policy: WindowPolicy): WindowStep {
  const next = number + 1;
  const endsAtMs = atMs + policy.windowMs;
  switch (policy.notify) {
    case 'immediate':
      return { window: { number: next, endsAtMs: null, untold: 0 }, send: next, opened: false, countedIn: next };
    case 'trailing':
      return { window: { number: next, endsAtMs, untold: 1 }, send: null, opened: true, countedIn: next };
    case 'leading':
      // Whoever leads is told of already: only those who come after count for the summary.
      return { window: { number: next + 1, endsAtMs, untold: 0 }, send: next, opened: true, countedIn: next };
  }
}

function join(window: NotifyWindow, { countedIn }: EventOf<'tell'>): WindowStep {
  const isWaiting = countedIn === window.number;
  return stay(isWaiting ? window : { ...window, untold: window.untold + 1 });
}

function comeBack(window: NotifyWindow, { countedIn }: EventOf<'back'>): WindowStep {
  return stay(countedIn === window.number ? { ...window, untold: window.untold + 1 } : window);
}

function leave(window: NotifyWindow, { countedIn }: EventOf<'leave'>): WindowStep {
  return stay(countedIn === window.number ? { ...window, untold: Math.max(0, window.untold - 1) } : window);
}

function forget(window: NotifyWindow): WindowStep {
  return stay({ ...window, untold: 0 });
}

function finish(window: NotifyWindow, { number }: EventOf<'end'>): WindowStep {
  if (number !== window.number) return stay(window);
  const closed: NotifyWindow = { number, endsAtMs: null, untold: 0 };
  return { window: closed, send: window.untold > 0 ? number : null, opened: false, countedIn: number };
}
