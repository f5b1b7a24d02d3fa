/** Whatever the order in which writes arrive, and however often, Cassandra ends where the memory store is. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { type PersonKey, personKey } from '../../../server/src/base/ids.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import type { InboxStore, StoredRow } from '../../../server/src/inbox/inbox-store.ts';
import { InboxStoreCassandra } from '../../../server/src/inbox/inbox-store-cassandra.ts';
import { InboxStoreMemory } from '../../../server/src/inbox/inbox-store-memory.ts';
import type { Place } from '../../../server/src/inbox/item.ts';
import { ana, noonMs, personWrite, testItem } from '../../../server/src/inbox/test-items.ts';
import { TestKeyspace } from '../test-keyspace.ts';
import { type History, histories } from './inbox-history.ts';

const keyspace = new TestKeyspace();
const client = await keyspace.open();
after(() => keyspace.drop());
const open = (): InboxStoreCassandra => new InboxStoreCassandra({ client, clock: new VirtualClock() });

let people = 0;
let person = ana;
const nextPerson = (): PersonKey => {
  person = personKey('t', `p${++people}`);
  return person;
};

/** Everything a reader can ask for. */
async function seen(store: InboxStore, who: PersonKey, { ids }: History) {
  const heads = [];
  for (const rowsMax of [1, 5, 24, 200]) {
    const head = await store.head(who, rowsMax);
    const marks = head.items.map(({ id }) => head.marks.items.get(id));
    heads.push({ ...head, marks: { ...head.marks, items: marks } });
  }
  const lists = [];
  for (const rowsMax of [3, 50]) lists.push(await listed(store, who, rowsMax));
  const ranks = [];
  for (const rank of [0, 1, 7, 30, 300]) ranks.push(await store.placeAt(who, rank));
  const items = [];
  for (const id of ids) items.push([await store.item(who, id), (await store.members(who, id)).toSorted(byKey)]);
  return { heads, lists, ranks, items, marks: await store.marks(who) };
}

async function listed(store: InboxStore, who: PersonKey, rowsMax: number): Promise<StoredRow[]> {
  const all: StoredRow[] = [];
  for (let from: Place | null = null; ; ) {
    const rows: readonly StoredRow[] = await store.rows(who, from, rowsMax);
    all.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsMax) return all;
    from = last.kind === 'item' ? last.item : { activityAtMs: last.place.activityAtMs, id: last.id };
  }
}

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1);

describe('any order of arrival ends in the same inbox', () => {
  for (const [name, minutesApart] of [
    ['of rows some hours apart', 200],
    ['of many rows a day', 7],
  ] as const) {
    test(name, async () => {
      let longest = 0;
      await fc.assert(
        fc.asyncProperty(histories(nextPerson, minutesApart), fc.infiniteStream(fc.nat()), async (history, dice) => {
          const who = person;
          longest = Math.max(longest, history.ids.length);
          const memory = new InboxStoreMemory();
          for (const step of history.steps) await step(memory);
          const writers = [open(), open()];
          const arriving = [...history.steps, ...history.steps.slice(0, 5)]
            .map((step) => ({ step, at: dice.next().value as number }))
            .sort((a, b) => a.at - b.at);
          await Promise.all(arriving.map(({ step, at }) => step(writers[at % 2] as InboxStore)));
          assert.deepEqual(await seen(open(), who, history), await seen(memory, who, history));
        }),
        // A smaller example would take many histories more to find.
        { numRuns: 25, endOnFailure: true },
      );
      assert.ok(longest > 60, `the longest had ${longest} rows only`);
    });
  }
});

test('an outdated owner’s late write changes nothing, though it had come further', async () => {
  const [zombie, owner] = [open(), open()];
  const row = testItem(ana, 'e1', noonMs, { revision: 5 });
  await zombie.positions(0);
  await zombie.write(0, [personWrite(ana, [row])], [10]);
  assert.deepEqual(await owner.positions(0), [10]);
  await owner.write(0, [personWrite(ana, [{ ...row, revision: 8, actorCount: 3 }])], [11]);
  await zombie.write(0, [personWrite(ana, [{ ...row, revision: 7, actorCount: 2 }])], [12]);
  assert.deepEqual(await open().positions(0), [11]);
  assert.equal((await open().item(ana, row.id))?.actorCount, 3);
  await owner.write(0, [], [13]);
  assert.deepEqual(await open().positions(0), [13]);
});

test('a removed row does not come back by a late write', async () => {
  const store = open();
  const row = testItem(ana, 'gone', noonMs, { revision: 5 });
  await store.remove(ana, [{ ...row, revision: 6 }], 7);
  await store.write(0, [personWrite(ana, [row])], [20]);
  assert.equal(await store.item(ana, row.id), null);
});

test('a very large part of one person is one mutation, beyond what a batch over several may hold', async () => {
  const store = open();
  const title = 'x'.repeat(2000);
  const rows = Array.from({ length: 500 }, (_, n) => {
    const row = testItem(ana, `large${n}`, noonMs + n, { revision: 9 });
    return { ...row, object: { ...row.object, title } };
  });
  await store.write(0, [personWrite(ana, rows)], [30]);
  assert.equal((await store.head(ana, 1000)).items.filter(({ object }) => object.title === title).length, 500);
});
