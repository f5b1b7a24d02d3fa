/** Items, members and writes for tests: whole and valid, with what a test cares about on top. */
import type { PersonKey, Revision } from '../base/ids.ts';
import { personKey, splitPersonKey } from '../base/ids.ts';
import { type Item, type Member, noWindow, type PersonWrite, type Place } from './item.ts';
import { notificationId } from './notification-id.ts';

export const ana: PersonKey = personKey('default', 'ana');
export const noonMs: number = Date.UTC(2026, 2, 10, 12);

/** The item an event opens: standing at `timeMs` since `revision`. */
export function testItem(person: PersonKey, eventId: string, timeMs: number, change: Partial<Item> = {}): Item {
  const { tenant, user } = splitPersonKey(person);
  const type = change.type ?? 'post.liked';
  const revision = change.revision ?? 1;
  return {
    id: notificationId({ tenant, user, type, source: 'posts', eventId, timeMs }),
    type,
    category: 'reactions',
    lane: 'social',
    groupKey: `${type}:${eventId}`,
    state: 'live',
    createdAtMs: timeMs,
    activityAtMs: timeMs,
    createdRevision: revision,
    activityRevision: revision,
    revision,
    acceptedAtMs: timeMs,
    actors: [{ id: 'bo', name: 'Bo', avatar: null }],
    actorCount: 1,
    actorCountIsEstimate: false,
    actorCountAtMove: 1,
    object: { kind: 'post', id: 'p1', title: 'My trip', url: '/p/p1', image: null, parent: null },
    mentioned: false,
    formerPlaces: [],
    openedBy: { source: 'posts', id: eventId },
    decisions: [{ channel: 'inApp', kind: 'send', reason: 'default' }],
    window: noWindow,
    opening: [],
    askedForPush: false,
    sketch: null,
    ...change,
  };
}

/** The item after it moved up to `timeMs` at `revision`, remembering where it stood. */
export function moved(item: Item, timeMs: number, revision: Revision): Item {
  const former = { activityAtMs: item.activityAtMs, from: item.activityRevision, until: revision };
  return {
    ...item,
    activityAtMs: timeMs,
    activityRevision: revision,
    revision,
    formerPlaces: [...item.formerPlaces, former],
  };
}

export function testMember(key: string, change: Partial<Member> = {}): Member {
  return {
    key,
    actor: { id: key, name: key.toUpperCase(), avatar: null },
    thing: '',
    countedAtMs: noonMs,
    seq: null,
    timeMs: noonMs,
    present: true,
    countedIn: 0,
    ...change,
  };
}

export function personWrite(person: PersonKey, items: readonly Item[], change: Partial<PersonWrite> = {}): PersonWrite {
  return {
    person,
    items: items.map((item) => ({ item, movedFrom: null })),
    members: [],
    deepRevision: 0,
    ...change,
  };
}

export function moveWrite(person: PersonKey, item: Item, movedFrom: Place): PersonWrite {
  return { person, items: [{ item, movedFrom }], members: [], deepRevision: 0 };
}

export function idsOf<Id extends string>(items: Iterable<{ readonly id: Id }>): Id[] {
  return [...items].map((item) => item.id);
}
