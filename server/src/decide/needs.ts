/** What must be loaded of a person before an event can be decided: kept beside the rules, which ask for nothing else. */
import { limits } from '../base/limits.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { EventFacts } from './event-facts.ts';
import { groupKeyOf } from './keys.ts';

export interface Needs {
  /** Groups whose members the rule looks up. */
  readonly groupKeys: readonly string[];
  /** Rows with activity after this event time matter. */
  readonly backToMs: number;
  /** Every row, with its members where `gone` asks for them. */
  readonly wholeInbox: boolean;
}

const everything = Number.NEGATIVE_INFINITY;

export function needsOf(event: EventFacts): Needs {
  const { type } = event;
  switch (type.rule) {
    case 'notify':
      return { groupKeys: keysFor(type, event), backToMs: rememberedFrom(event.timeMs), wholeInbox: false };
    case 'undo': {
      const groupKeys = type.undone.flatMap((each) => keysFor(each, event));
      return { groupKeys, backToMs: everything, wholeInbox: false };
    }
    case 'edit': {
      const groupKeys = type.mention === null ? [] : keysFor(type.mention, event);
      return { groupKeys, backToMs: everything, wholeInbox: true };
    }
    case 'grant':
      return { groupKeys: [], backToMs: rememberedFrom(event.timeMs), wholeInbox: false };
    case 'gone':
    case 'revoke':
      return { groupKeys: [], backToMs: everything, wholeInbox: true };
  }
}

/**
 * A row that an event could join or repeat has activity no older than this: the last event that counted lies less than
 * `sameMeaningMs` back, and its row began at most a span before that and never stands earlier than it began.
 */
export function rememberedFrom(timeMs: number): number {
  return timeMs - limits.sameMeaningMs - limits.groupSpanMs;
}

/** A comment and a mention in it know of each other (BC-04). */
function keysFor(type: TypeEntry, event: EventFacts): string[] {
  const keys = [groupKeyOf(type, event)];
  if (event.parent !== '') for (const comment of type.mentionedIn) keys.push(groupKeyOf(comment, event));
  if (type.mention !== null) keys.push(groupKeyOf(type.mention, event));
  return keys;
}
