/**
 * Group keys and member keys (D4, D5). A group key names the row that events share; a member key names what makes two
 * events of a group mean the same. A key with an empty part falls back to the event's own id, so that events about
 * nothing never count as the same (BC-21).
 */
import type { TypeEntry } from '../content/type-entry.ts';
import { plainKey } from '../inbox/filtered-key.ts';
import type { EventFacts } from './event-facts.ts';

const separator = '\u0001';
const gonePrefix = `gone${separator}`;
const lostPrefix = `lost${separator}`;
const grantedPrefix = `granted${separator}`;

/** What keys are made of. */
type KeyParts = Pick<EventFacts, 'type' | 'source' | 'id' | 'actorId' | 'thing' | 'parent'>;

/** The row that events of `type` about this event's object go to. */
export function groupKeyOf(type: TypeEntry, event: EventFacts): string {
  return type === event.type ? event.groupKey : makeGroupKey(type, event);
}

export function memberKeyOf(type: TypeEntry, event: EventFacts): string {
  return type === event.type ? event.memberKey : makeMemberKey(type, event);
}

export function makeGroupKey(type: TypeEntry, event: KeyParts): string {
  switch (type.grouping) {
    case 'object':
      return event.thing === '' ? ownKey(type, event) : `${type.name}${separator}${event.thing}`;
    case 'parent': {
      const about = event.parent === '' ? event.thing : event.parent;
      return about === '' ? ownKey(type, event) : `${type.name}${separator}${about}`;
    }
    case 'kind':
      return type.name;
    case 'alone':
      return event.thing === '' ? ownKey(type, event) : aloneKey(type, event);
  }
}

/** The row of a group key takes events of one person and thing only, or none at all. */
export function standsAlone(groupKey: string): boolean {
  const key = plainKey(groupKey);
  const first = key.indexOf(separator);
  return (
    [gonePrefix, lostPrefix, grantedPrefix].some((prefix) => key.startsWith(prefix)) ||
    (first > 0 && key.indexOf(separator, first + 1) > 0)
  );
}

/** Types of one family share a row: a reply and a mention by one person in one thing (BC-04). */
function aloneKey(type: TypeEntry, event: KeyParts): string {
  return `${type.family}${separator}${event.actorId}${separator}${event.thing}`;
}

function ownKey(type: TypeEntry, event: KeyParts): string {
  return `${type.name}${separator}${event.source}${separator}${event.id}`;
}

/** The mention part of a row is a member of its own, so that each part is undone by its own order. */
export function makeMemberKey(type: TypeEntry, event: KeyParts): string {
  if (type.isMention) return mentionKey(event);
  return type.grouping === 'object' ? event.actorId : `${event.actorId}${separator}${event.thing}`;
}

function mentionKey(event: KeyParts): string {
  return `${event.actorId}${separator}${event.thing}${separator}@`;
}

export function isMentionKey(memberKey: string): boolean {
  return memberKey.endsWith(`${separator}@`);
}

/** Marks that a thing has been deleted, so that what comes late about it is not shown. */
export function goneKey(thing: string): string {
  return `${gonePrefix}${thing}`;
}

/** The thing that a row remembers as deleted; null for all other rows. */
export function thingGone(groupKey: string): string | null {
  return groupKey.startsWith(gonePrefix) ? groupKey.slice(gonePrefix.length) : null;
}

/** Marks when the person lost access to a thing, or was given it again. */
export function lostKey(thing: string): string {
  return `${lostPrefix}${thing}`;
}

export function grantedKey(thing: string): string {
  return `${grantedPrefix}${thing}`;
}

/** The thing to which a row remembers that access was lost or given; null for all other rows. */
export function accessNoted(groupKey: string): { readonly thing: string; readonly isLost: boolean } | null {
  if (groupKey.startsWith(lostPrefix)) return { thing: groupKey.slice(lostPrefix.length), isLost: true };
  if (groupKey.startsWith(grantedPrefix)) return { thing: groupKey.slice(grantedPrefix.length), isLost: false };
  return null;
}
