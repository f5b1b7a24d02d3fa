/**
 * Erases an inbox from a process that does not own its shard: the owner alone may write it, and is asked over the bus. A
 * request may be lost, or the owner be gone: it is asked again until nothing is there, and whoever called is to come again
 * where that takes too long.
 */
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { LivePublisher } from '../deliver/realtime/live-publisher.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';

export interface EraseByOwnerParts {
  readonly store: Pick<InboxStore, 'head' | 'dropped'>;
  readonly publisher: Pick<LivePublisher, 'erase'>;
  readonly clock: Clock;
}

export async function eraseByOwner({ store, publisher, clock }: EraseByOwnerParts, person: PersonKey): Promise<void> {
  for (let waitedMs = 0; waitedMs < limits.eraseWaitMs; waitedMs += limits.eraseLookMs) {
    if (await isErased(store, person)) return;
    if (waitedMs % limits.eraseAgainMs === 0) await publisher.erase(person);
    await new Promise<void>((resolve) => clock.after(limits.eraseLookMs, resolve));
  }
  if (await isErased(store, person)) return;
  throw new CarillonError('CARILLON_STORE_UNAVAILABLE', 'The owner of the shard has not erased the inbox yet.', {
    retryAfterSeconds: limits.storeRetrySeconds,
  });
}

async function isErased(store: EraseByOwnerParts['store'], person: PersonKey): Promise<boolean> {
  const [{ items, marks, notes }, dropped] = await Promise.all([store.head(person, 1), store.dropped(person)]);
  return items.length === 0 && marks.version === 0 && notes === undefined && dropped.length === 0;
}
