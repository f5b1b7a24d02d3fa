/** Compares every inbox with what it must hold, in the stopped service's store itself. */
import { join } from 'node:path';
import { systemClock } from '../../server/src/base/clock.ts';
import { type PersonKey, personKey, splitPersonKey } from '../../server/src/base/ids.ts';
import { describeInApp } from '../../server/src/content/describe-in-app.ts';
import { InboxServiceStore } from '../../server/src/inbox/inbox-service-store.ts';
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import { InboxStoreLevel } from '../../server/src/inbox/inbox-store-level.ts';
import type { Item } from '../../server/src/inbox/item.ts';
import { openLevel } from '../../server/src/inbox/open-level.ts';
import type { ExpectedInboxes } from './expected-inboxes.ts';

const atOnce = 16;

export interface Findings {
  readonly people: number;
  readonly rows: number;
  readonly faults: string[];
}

/** The embedded engine's, from its data folder. */
export async function checkInboxes(dataDir: string, expected: ExpectedInboxes): Promise<Findings> {
  const db = await openLevel(join(dataDir, 'store'));
  const findings = await checkStore(new InboxStoreLevel(db), expected);
  await db.close();
  return findings;
}

/** Any engine's. Asks for several people at once: a store behind a network has each read wait. */
export async function checkStore(store: InboxStore, expected: ExpectedInboxes): Promise<Findings> {
  const inbox = new InboxServiceStore({
    store,
    clock: systemClock,
    cursorSecret: new Uint8Array(32),
    describe: describeInApp,
  });
  const faults: string[] = [];
  let rows = 0;
  const users = expected.users.values();
  const checkNext = async (): Promise<void> => {
    for (const user of users) {
      const person = personKey('default', user);
      const items = await allItems(store, person);
      rows += items.length;
      faults.push(...compare(user, items, expected));
      faults.push(...(await checkMembers(store, person, items)));
      const { unread } = await inbox.counts(person);
      if (unread !== Math.min(items.length, 100)) faults.push(`${user}: ${unread} unread of ${items.length} rows`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, checkNext));
  faults.push(...(await strangers(store, expected)));
  return { people: expected.users.length, rows, faults };
}

async function allItems(store: InboxStore, person: PersonKey): Promise<Item[]> {
  const head = await store.head(person, 1_000_000);
  return head.items.filter((item) => item.state === 'live');
}

function compare(user: string, items: readonly Item[], expected: ExpectedInboxes): string[] {
  const faults: string[] = [];
  const { reposts, alone } = expected.of(user);
  const found = items.filter(({ type }) => type === 'post.reposted').map(({ actorCount }) => actorCount);
  if (found.join() !== reposts.join()) faults.push(`${user}: repost rows of ${found.join()}, not ${reposts.join()}`);
  const others = items.filter(({ type }) => type !== 'post.reposted');
  const things = new Set(others.map(({ type, object }) => `${type} ${object.kind}:${object.id}`));
  if (things.size < others.length) faults.push(`${user}: ${others.length - things.size} rows more than once`);
  for (const thing of alone) if (!things.has(thing)) faults.push(`${user}: lost ${thing}`);
  for (const thing of things) if (!alone.has(thing)) faults.push(`${user}: invented ${thing}`);
  return faults;
}

/** The people stored for a row are those it counts. */
async function checkMembers(store: InboxStore, person: PersonKey, items: readonly Item[]): Promise<string[]> {
  const faults: string[] = [];
  for (const item of items) {
    const members = await store.members(person, item.id);
    const people = new Set(members.filter(({ present }) => present).map(({ actor }) => actor.id));
    if (people.size !== item.actorCount) faults.push(`${item.id}: counts ${item.actorCount} of ${people.size} people`);
  }
  return faults;
}

/** Nobody has an inbox who should have none. */
async function strangers(store: InboxStore, expected: ExpectedInboxes): Promise<string[]> {
  const known = new Set(expected.users);
  const faults: string[] = [];
  for (let after: PersonKey | null = null; ; ) {
    const people: readonly PersonKey[] = await store.people(after, 1000);
    for (const person of people) if (!known.has(splitPersonKey(person).user)) faults.push(`${person} is a stranger`);
    after = people.at(-1) ?? null;
    if (after === null) return faults;
  }
}
