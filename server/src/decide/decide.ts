/**
 * The pure core (D1): what one event does to one recipient's inbox, and why.
 *
 * No I/O, no clock, no randomness: the same facts give the same decision, so every rule is tested as given / when /
 * then and an old log replayed builds the same rows. Order of the checks is the order of this file's flow:
 * the type's rule first says what the event means for the inbox; who is told, how and when (preferences, quiet hours,
 * windows, caps) is decided from its `tells`.
 */
import type { TypeEntry } from '../content/type-entry.ts';
import type { Decision } from './decision.ts';
import type { EventFacts } from './event-facts.ts';
import type { RecipientFacts } from './recipient-facts.ts';
import { edit } from './rules/edit.ts';
import { gone } from './rules/gone.ts';
import { notify } from './rules/notify.ts';
import { grant, revoke } from './rules/revoke.ts';
import { undo } from './rules/undo.ts';

/** All rules have this one shape. */
export type Rule = (event: EventFacts, facts: RecipientFacts) => Decision;

const rules: Record<TypeEntry['rule'], Rule> = { notify, undo, gone, edit, revoke, grant };

export function decide(event: EventFacts, facts: RecipientFacts): Decision {
  return rules[event.type.rule](event, facts);
}
