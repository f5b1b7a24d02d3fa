/** What must be loaded of a person before an event can be decided: kept beside the rules, which ask for nothing else. */
import { limits } from '../base/limits.ts';
import { builtInTypes, type TypeEntry } from '../content/type-catalogue.ts';
import type { EventFacts } from './event-facts.ts';
import { groupKeyOf, isMention } from './keys.ts';
import { commentType, mentionType } from './rules/notify.ts';

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
      const types = type.undoes.map((name) => builtInTypes.find(name) as TypeEntry);
      return { groupKeys: types.flatMap((each) => keysFor(each, event)), backToMs: everything, wholeInbox: false };
    }
    case 'edit':
      return { groupKeys: keysFor(mentionType, event), backToMs: everything, wholeInbox: true };
    case 'gone':
      return { groupKeys: [], backToMs: everything, wholeInbox: true };
  }
}

/**
 * A row that an event could join or repeat has activity no older than this: the last event that counted lies less than
 * `sameMeaningMs` back, and its row began at most a span before that and never stands earlier than it began.
 */
function rememberedFrom(timeMs: number): number {
  return timeMs - limits.sameMeaningMs - limits.groupSpanMs;
}

/** A comment and a mention in it know of each other (BC-04). */
function keysFor(type: TypeEntry, event: EventFacts): string[] {
  const keys = [groupKeyOf(type, event)];
  if (isMention(type) && event.parent !== '') keys.push(groupKeyOf(commentType, event));
  if (type === commentType) keys.push(groupKeyOf(mentionType, event));
  return keys;
}
