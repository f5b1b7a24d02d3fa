/** Keeps a row's notify window in step with its members (D6). Rows that neither push nor email may tell of have none. */
import { transition, type WindowEvent, type WindowPolicy } from '../decide/notify-window.ts';
import type { Member } from '../inbox/item.ts';
import type { Group } from './group.ts';

/** An event that tells, to somebody who can be told outside the inbox. */
export interface Told {
  readonly policy: WindowPolicy;
  readonly atMs: number;
}

/** What came of it: `send`: the number of what is to be told at once. */
export interface WindowOutcome {
  readonly members: readonly Member[];
  readonly send: number | null;
  readonly opened: boolean;
}

/**
 * To be called before the members of a change are set; answers them as they are to be kept. Of those that an event which
 * tells brings, the first counts.
 */
export function followWindow(group: Group, members: readonly Member[], told: Told | null): WindowOutcome {
  if (told === null && group.item.window.number === 0) return { members, send: null, opened: false };
  let send: number | null = null;
  let opened = false;
  const kept = members.map((member, index) => {
    const before = group.isNew && group.memberSet?.size === 0 ? undefined : group.member(member.key);
    const event = eventOf(before, member, index === 0 ? told : null);
    if (event === null) return { ...member, countedIn: before?.countedIn ?? 0 };
    const step = transition(group.item.window, event, told?.policy ?? noPolicy);
    group.item.window = step.window;
    send ??= step.send;
    opened ||= step.opened;
    return { ...member, countedIn: event.kind === 'tell' ? step.countedIn : (before?.countedIn ?? 0) };
  });
  return { members: kept, send, opened };
}

/** Nobody is left in the row, or the person has read it: who came before is not told of any more. */
export function clearWindow(group: Group): void {
  const { item } = group;
  if (item.window.number > 0) item.window = transition(item.window, { kind: 'clear' }, noPolicy).window;
}

/** Asked of by events that open no window. */
const noPolicy: WindowPolicy = { notify: 'immediate', windowMs: 0 };

function eventOf(before: Member | undefined, after: Member, told: Told | null): WindowEvent | null {
  const wasPresent = before?.present === true;
  if (told !== null && after.present) {
    return { kind: 'tell', atMs: told.atMs, countedIn: wasPresent ? before.countedIn : null };
  }
  if (before === undefined || wasPresent === after.present) return null;
  return { kind: after.present ? 'back' : 'leave', countedIn: before.countedIn };
}
