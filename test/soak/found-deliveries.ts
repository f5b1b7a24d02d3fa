/** All deliveries of the stopped service, read from its own stores, each with the event that it tells of. */
import { join } from 'node:path';
import { personKey, splitPersonKey } from '../../server/src/base/ids.ts';
import { deliveryId, type Job } from '../../server/src/deliver/delivery.ts';
import { decodeJob } from '../../server/src/deliver/delivery-codec.ts';
import type { DeliveryState } from '../../server/src/deliver/delivery-state.ts';
import { InboxStoreLevel } from '../../server/src/inbox/inbox-store-level.ts';
import { openLevel } from '../../server/src/inbox/open-level.ts';
import { type FoundDelivery, keyOf } from './judge.ts';
import type { ListedLetter } from './soak-api.ts';

export interface Naming {
  readonly users: readonly string[];
  /** By device id. */
  readonly tokens: ReadonlyMap<string, string>;
  /** By person. */
  readonly addresses: ReadonlyMap<string, string>;
}

export interface StoredDelivery extends FoundDelivery {
  readonly state: DeliveryState;
  readonly notification: string;
  /** As the service names the endpoint. */
  readonly endpointId: string;
  /** While it is pending: when it is looked at again. */
  readonly dueAtMs: number | null;
}

export async function foundDeliveries(dataDir: string, naming: Naming): Promise<StoredDelivery[]> {
  const events = await eventsOf(dataDir, naming.users);
  const found: StoredDelivery[] = [];
  const db = await openLevel(join(dataDir, 'deliveries', 'store'));
  for await (const [, text] of db.iterator({ gte: 'j', lt: 'k' })) {
    // What a job tells of beside the first leads to the job.
    if (!text.startsWith('>')) found.push(...deliveriesOf(decodeJob(text), events, naming));
  }
  await db.close();
  return found;
}

/** Which deliveries are listed, as the judge names them; what is of none keeps its own name. */
export function keysOfLetters(letters: readonly ListedLetter[], deliveries: readonly StoredDelivery[]): string[] {
  const own = ({ channel, notification }: Pick<ListedLetter, 'channel' | 'notification'>, endpoint: string): string =>
    `${channel} ${notification} ${endpoint}`;
  const keys = new Map(deliveries.map((delivery) => [own(delivery, delivery.endpointId), keyOf(delivery)]));
  return letters.map((letter) => keys.get(own(letter, letter.endpoint)) ?? own(letter, letter.endpoint));
}

/** By notification. In a soak each event has a row of its own. */
async function eventsOf(dataDir: string, users: readonly string[]): Promise<Map<string, string>> {
  const db = await openLevel(join(dataDir, 'store'));
  const store = new InboxStoreLevel(db);
  const events = new Map<string, string>();
  for (const user of users) {
    const { items } = await store.head(personKey('default', user), 1_000_000);
    for (const { id, object } of items) events.set(id, object.id);
  }
  await db.close();
  return events;
}

function deliveriesOf(job: Job, events: ReadonlyMap<string, string>, naming: Naming): StoredDelivery[] {
  const { channel, person, tells } = job;
  const { user } = splitPersonKey(person);
  return tells.flatMap(({ notification }) =>
    job.deliveries.map(({ endpoint, state, code, providerId, dueAtMs, attempts }): StoredDelivery => {
      const event = events.get(notification) ?? notification;
      const name = endpoint === '' ? '' : nameOf(channel, endpoint, user, naming);
      const id = channel === 'push' ? deliveryId(job, endpoint) : null;
      const names = { notification, endpointId: endpoint, endpoint: name, id, providerId };
      return { channel, event, user, ...names, state, code, dueAtMs, attempts };
    }),
  );
}

function nameOf(channel: string, endpoint: string, user: string, { tokens, addresses }: Naming): string {
  return (channel === 'push' ? tokens.get(endpoint) : addresses.get(user)) ?? endpoint;
}
