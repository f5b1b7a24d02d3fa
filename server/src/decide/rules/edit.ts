/**
 * The rule of edits: a person whom the edit mentions is told once, one it no longer mentions sees the row go, and rows
 * about the thing get its new words (BC-05). An edit that says nothing of mentions only rewords.
 */
import type { Change, Decision } from '../decision.ts';
import type { EventFacts } from '../event-facts.ts';
import type { RecipientFacts } from '../recipient-facts.ts';
import { tellOf } from './notify.ts';
import { takeBack } from './undo.ts';

export function edit(event: EventFacts, facts: RecipientFacts): Decision {
  const reworded = reword(event, facts);
  const { mention } = event.type;
  if (event.mentions === null || mention === null) return { changes: reworded, tells: false, reason: 'default' };
  if (event.mentions.includes(facts.user)) {
    const told = tellOf(mention, event, facts);
    return { ...told, changes: [...reworded, ...told.changes] };
  }
  const changes: Change[] = [...reworded];
  takeBack(mention, event, facts, changes);
  return { changes, tells: false, reason: 'undone' };
}

function reword(event: EventFacts, facts: RecipientFacts): Change[] {
  const { object } = { object: event.object() };
  if (event.thing === '' || object.title === null) return [];
  return facts
    .about(event.thing)
    .filter(({ item }) => {
      const shown = item.object;
      return item.state !== 'removed' && `${shown.kind}:${shown.id}` === event.thing && shown.title !== object.title;
    })
    .map(({ item }) => ({ kind: 'reword', item }));
}
