/** Brings into memory what the rules will ask of a person about one event. */
import type { EventFacts } from '../decide/event-facts.ts';
import { unknownRelation } from '../decide/judge-source.ts';
import type { Needs } from '../decide/needs.ts';
import { filteredKey } from '../inbox/filtered-key.ts';
import type { PeopleCache } from './people-cache.ts';
import type { Person } from './person.ts';
import type { RelationReader } from './relation-reader.ts';

type AskingEvent = Pick<EventFacts, 'actorId' | 'acceptedAtMs'> & { readonly needs: Needs };

/** Everything the event's rule will ask for is in memory: the usual case, without waiting. */
export function isReady(person: Person, { needs, actorId }: AskingEvent): boolean {
  const { groupKeys, backToMs, wholeInbox } = needs;
  if (!person.needBackTo(backToMs) || wholeInbox || person.wishes.lacksRelation(actorId)) return false;
  for (const key of groupKeys) {
    if (!person.holdsGroup(key)) return false;
    if (person.hasFiltered && !person.holdsGroup(filteredKey(key))) return false;
  }
  return true;
}

export interface Preparation {
  readonly people: PeopleCache;
  /** Absent: nobody has said how people stand to each other. */
  readonly relations?: RelationReader | undefined;
}

export async function preparePerson(person: Person, event: AskingEvent, from: Preparation): Promise<void> {
  const { needs, actorId, acceptedAtMs } = event;
  const { people, relations } = from;
  if (person.wishes.lacksRelation(actorId)) {
    const relation = await relations?.of(person.key, actorId, acceptedAtMs);
    person.wishes.knowRelation(actorId, relation ?? unknownRelation);
  }
  const { groupKeys, backToMs, wholeInbox } = needs;
  if (wholeInbox) {
    await people.loadAll(person);
    await people.loadMembers(person, person.groups);
    return;
  }
  await people.loadBackTo(person, backToMs);
  for (const key of groupKeys) {
    await people.loadGroup(person, key);
    if (person.hasFiltered) await people.loadGroup(person, filteredKey(key));
  }
}
