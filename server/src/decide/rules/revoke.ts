/**
 * The rules of access: a person may no longer see a thing, and then maybe again (D11, BC-64). What was told of it, or of
 * something that belongs to it, goes with its words, whatever waits to be told of it is not, and what comes late is not
 * shown. Being let in again brings nothing back: it is for what comes from then on. The later of the two stands, by event
 * time.
 */
import type { Change, Decision } from '../decision.ts';
import { nothing } from '../decision.ts';
import type { EventFacts } from '../event-facts.ts';
import { grantedKey, lostKey } from '../keys.ts';
import type { RecipientFacts } from '../recipient-facts.ts';
import { removeAbout } from './gone.ts';
import { toMember } from './notify.ts';

export function revoke(event: EventFacts, facts: RecipientFacts): Decision {
  const { thing, timeMs } = event;
  if (thing === '') return nothing('accessLost');
  const { lostMs, grantedMs } = facts.accessTo(thing);
  if (lostMs >= timeMs || grantedMs > timeMs) return nothing('accessLost');
  const changes = [...removeAbout(event, facts), remember(event, lostKey(thing))];
  return { changes, tells: false, reason: 'accessLost' };
}

export function grant(event: EventFacts, facts: RecipientFacts): Decision {
  const { thing, timeMs } = event;
  if (thing === '' || facts.accessTo(thing).grantedMs >= timeMs) return nothing('default');
  return { changes: [remember(event, grantedKey(thing))], tells: false, reason: 'default' };
}

function remember(event: EventFacts, groupKey: string): Change {
  return { kind: 'open', type: event.type, groupKey, members: [toMember(event.type, event, false)], hidden: true };
}
