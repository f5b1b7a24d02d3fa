/** All people of one notification, newest first, page by page. Pure. */
import type { ItemActor, Member } from './item.ts';

/** Where a page ends: the next one starts strictly after it. */
export interface ActorPlace {
  readonly timeMs: number;
  readonly id: string;
}

export interface ActorsSlice {
  readonly actors: readonly ItemActor[];
  readonly last: ActorPlace | null;
}

/** The `limit` people after `after`. `last` is null where nobody is left. */
export function actorsAfter(members: readonly Member[], after: ActorPlace | null, limit: number): ActorsSlice {
  const newest = new Map<string, Member>();
  for (const member of members) {
    if (!member.present) continue;
    const known = newest.get(member.actor.id);
    if (known === undefined || known.countedAtMs < member.countedAtMs) newest.set(member.actor.id, member);
  }
  const places = [...newest.values()]
    .map((member) => ({ timeMs: member.countedAtMs, id: member.actor.id, actor: member.actor }))
    .filter((place) => after === null || compare(after, place) < 0)
    .sort(compare);
  const slice = places.slice(0, limit);
  const end = slice.at(-1);
  const last = places.length > limit && end !== undefined ? { timeMs: end.timeMs, id: end.id } : null;
  return { actors: slice.map((place) => place.actor), last };
}

function compare(a: ActorPlace, b: ActorPlace): number {
  if (a.timeMs !== b.timeMs) return b.timeMs - a.timeMs;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
