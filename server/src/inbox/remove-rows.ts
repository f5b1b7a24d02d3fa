/** Removes rows with a fresh revision, for stores that nobody else writes at that moment. */
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import type { InboxStore } from './inbox-store.ts';
import type { Item } from './item.ts';
import { personRevision } from './person-revision.ts';

export async function removeRows(
  store: InboxStore,
  clock: Clock,
  person: PersonKey,
  items: readonly Item[],
): Promise<void> {
  const head = await store.head(person, limits.changesMax);
  await store.remove(person, items, nextRevision(personRevision(head), clock.now()));
}
