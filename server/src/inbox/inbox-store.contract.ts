/** What every inbox store must do: one suite for the port's text, run by each adapter's test. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { InboxStore, MarksPatch } from './inbox-store.ts';
import { besides } from './inbox-store-besides.contract.ts';
import { noMarks, type Place } from './item.ts';
import { ana, idsOf, moved, moveWrite, noonMs, personWrite, testItem, testMember } from './test-items.ts';

export interface StoreUnderTest {
  readonly name: string;
  /** A fresh, empty store. */
  open(): Promise<InboxStore>;
  /** The same data again after a crash of the process; null where nothing outlives the process. */
  reopen: (() => Promise<InboxStore>) | null;
  /**
   * Whether the store itself refuses an outdated owner's late write. Only a store that several processes write can and
   * must (Cassandra: the revision is the write timestamp); in an embedded one the only writer's last write is the latest.
   */
  readonly refusesLateWrites: boolean;
  close(): Promise<void>;
}

const bo = personKey('default', 'bo');

export function inboxStoreContract(under: StoreUnderTest): void {
  describe(`inbox store: ${under.name}`, () => {
    let store: InboxStore;
    const use = (): InboxStore => store;
    beforeEach(async () => {
      store = await under.open();
    });
    after(() => under.close());
    describe('writes', () => writes(use, under));
    describe('order and places', () => places(use));
    describe('members', () => members(use));
    describe('marks', () => marks(use));
    describe('background work', () => background(use));
    describe('beside rows, and erasure', () => besides(use, under.refusesLateWrites));
  });
}

function writes(store: () => InboxStore, under: StoreUnderTest): void {
  test('an unknown person has an empty, complete head and no positions', async () => {
    assert.deepEqual(await store().head(ana, 10), { items: [], complete: true, marks: noMarks, deepRevision: 0 });
    assert.deepEqual(await store().rows(ana, null, 10), []);
    assert.deepEqual(await store().marks(ana), noMarks);
    assert.equal(await store().positions(0), null);
  });

  test('a write is read back as it was, with its positions and no other shard’s', async () => {
    const item = testItem(ana, 'e1', noonMs, { state: 'removed', mentioned: true, revision: 5 });
    await store().write(3, [personWrite(ana, [item], { deepRevision: 4 })], [7, 8, 9]);
    assert.deepEqual(await store().head(ana, 10), { items: [item], complete: true, marks: noMarks, deepRevision: 4 });
    assert.deepEqual(await store().item(ana, item.id), item);
    assert.deepEqual(await store().positions(3), [7, 8, 9]);
    assert.equal(await store().positions(0), null);
  });

  test('people whose names begin alike, or lie in other tenants, never meet', async () => {
    const people = [personKey('a', 'b'), personKey('a', 'bb'), personKey('ab', 'b'), personKey('a', 'b 😀'), ana];
    for (const [index, person] of people.entries()) {
      await store().write(0, [personWrite(person, [testItem(person, `e${index}`, noonMs)])], [index]);
      await store().mergeMarks(person, { version: 1, readThrough: index + 1 });
    }
    for (const [index, person] of people.entries()) {
      const head = await store().head(person, 10);
      assert.deepEqual(idsOf(head.items), [testItem(person, `e${index}`, noonMs).id]);
      assert.equal(head.marks.readThrough, index + 1);
      assert.equal(await store().item(person, testItem(people[(index + 1) % 5] ?? ana, 'e', noonMs).id), null);
    }
  });

  test('a write repeated changes nothing', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const later = moved(item, noonMs + 1000, 2);
    const delta = { item: item.id, revision: 2, members: [testMember('bo')] };
    const write = { ...moveWrite(ana, later, item), members: [delta], deepRevision: 2 };
    await store().write(0, [personWrite(ana, [item])], [1]);
    await store().write(0, [write], [2]);
    const once = [await store().rows(ana, null, 10), await store().head(ana, 10), await store().members(ana, item.id)];
    await store().write(0, [write], [2]);
    const twice = [await store().rows(ana, null, 10), await store().head(ana, 10), await store().members(ana, item.id)];
    assert.deepEqual(twice, once);
  });

  test('a reader beside a writer meets whole writes only', async () => {
    const reads: Promise<readonly unknown[]>[] = [];
    for (let round = 1; round <= 20; round++) {
      const items = [1, 2, 3].map((n) => testItem(ana, `${n}`, noonMs + n, { revision: round }));
      const written = store().write(0, [personWrite(ana, items)], [round]);
      reads.push(
        store()
          .head(ana, 10)
          .then((head) => head.items.map((item) => item.revision)),
      );
      await written;
    }
    for (const revisions of await Promise.all(reads)) assert.equal(new Set(revisions).size <= 1, true, `${revisions}`);
  });

  test('after a crash whole writes are there, with their positions', {
    skip: !under.reopen && 'in memory',
  }, async () => {
    const item = testItem(ana, 'e1', noonMs);
    const delta = { item: item.id, revision: 1, members: [testMember('bo')] };
    await store().write(0, [personWrite(ana, [item], { members: [delta] })], [5]);
    await store().mergeMarks(ana, { version: 9, items: [{ id: item.id, archived: true }] });
    const again = (await under.reopen?.()) as InboxStore;
    assert.deepEqual((await again.head(ana, 10)).items, [item]);
    assert.deepEqual(await again.members(ana, item.id), [testMember('bo')]);
    assert.deepEqual((await again.marks(ana)).items.get(item.id), { archived: { value: true, version: 9 } });
    assert.deepEqual(await again.positions(0), [5]);
  });

  test('an outdated owner’s late write loses', {
    skip: !under.refusesLateWrites && 'has one writer only',
  }, async () => {
    const item = testItem(ana, 'e1', noonMs, { revision: 5, actorCount: 5 });
    await store().write(0, [personWrite(ana, [item])], [5]);
    await store().write(0, [personWrite(ana, [{ ...item, revision: 4, actorCount: 4 }])], [4]);
    assert.deepEqual(await store().item(ana, item.id), item);
    await store().write(0, [personWrite(ana, [], { notes: { revision: 8, text: 'later' } })], [5]);
    await store().write(0, [personWrite(ana, [], { notes: { revision: 7, text: 'outdated' } })], [5]);
    assert.equal((await store().head(ana, 10)).notes, 'later');
  });
}

function places(store: () => InboxStore): void {
  test('newest first, equal times by id, paged without repeat or hole', async () => {
    const times = [noonMs, noonMs + 5, noonMs, -1, 0, noonMs + 5, noonMs];
    const items = times.map((time, index) => testItem(ana, `e${index}`, time));
    await store().write(0, [personWrite(ana, items)], [1]);
    const clamped = (time: number) => Math.max(0, time);
    const expected = items.toSorted(
      (a, b) => clamped(b.activityAtMs) - clamped(a.activityAtMs) || (a.id < b.id ? -1 : 1),
    );
    assert.deepEqual((await store().head(ana, 10)).items, expected);
    const paged: string[] = [];
    let after: Place | null = null;
    for (;;) {
      const [row] = await store().rows(ana, after, 1);
      if (row?.kind !== 'item') break;
      paged.push(row.item.id);
      after = row.item;
    }
    assert.deepEqual(paged, idsOf(expected));
  });

  test('the head stops at its bound and says so', async () => {
    const items = [1, 2, 3].map((n) => testItem(ana, `e${n}`, noonMs - n));
    await store().write(0, [personWrite(ana, items)], [1]);
    const two = await store().head(ana, 2);
    assert.deepEqual([two.items, two.complete], [items.slice(0, 2), false]);
    const three = await store().head(ana, 3);
    assert.deepEqual([three.items, three.complete], [items, true]);
  });

  test('a row that moves leaves a former place, is found by id, and counts once in the head', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const other = testItem(ana, 'e2', noonMs + 10);
    await store().write(0, [personWrite(ana, [item, other])], [1]);
    const first = moved(item, noonMs + 20, 3);
    const second = moved(first, noonMs + 30, 4);
    await store().write(0, [moveWrite(ana, first, item)], [2]);
    await store().write(0, [moveWrite(ana, second, first)], [3]);
    assert.deepEqual(await store().item(ana, item.id), second);
    const head = await store().head(ana, 2);
    assert.deepEqual([idsOf(head.items), head.complete], [[item.id, other.id], true]);
    assert.deepEqual(await store().rows(ana, null, 10), [
      { kind: 'item', item: second },
      { kind: 'former', id: item.id, place: { activityAtMs: noonMs + 20, from: 3, until: 4 } },
      { kind: 'item', item: other },
      { kind: 'former', id: item.id, place: { activityAtMs: noonMs, from: 1, until: 3 } },
    ]);
  });

  test('a move within the same millisecond keeps one row; the place is left for both spans', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const same = moved(item, noonMs, 5);
    const up = moved(same, noonMs + 1, 9);
    await store().write(0, [personWrite(ana, [item])], [1]);
    await store().write(0, [moveWrite(ana, same, item)], [2]);
    assert.deepEqual(await store().rows(ana, null, 10), [{ kind: 'item', item: same }]);
    await store().write(0, [moveWrite(ana, up, same)], [3]);
    const [, former] = await store().rows(ana, null, 10);
    assert.deepEqual(former, { kind: 'former', id: item.id, place: { activityAtMs: noonMs, from: 1, until: 9 } });
  });

  test('dropped former places are cleared, kept ones stay', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const first = moved(item, noonMs + 1, 2);
    const second = moved(first, noonMs + 2, 3);
    const [dropped, ...kept] = second.formerPlaces;
    await store().write(0, [personWrite(ana, [item])], [1]);
    await store().write(0, [moveWrite(ana, first, item)], [2]);
    const trimmed = { ...second, formerPlaces: kept };
    const entry = { item: trimmed, movedFrom: first, droppedFormer: dropped === undefined ? [] : [dropped] };
    await store().write(0, [{ ...personWrite(ana, []), items: [entry] }], [3]);
    const rows = await store().rows(ana, null, 10);
    assert.deepEqual(
      rows.map((row) => (row.kind === 'item' ? row.item.activityAtMs : row.place.activityAtMs)),
      [noonMs + 2, noonMs + 1],
    );
  });

  test('a group is found by id at the end of its span, and a neighbour of its time is not taken for it', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const last = moved(item, noonMs + limits.groupSpanMs, 2);
    await store().write(0, [personWrite(ana, [item, testItem(ana, 'e2', noonMs)])], [1]);
    await store().write(0, [moveWrite(ana, last, item)], [2]);
    assert.deepEqual(await store().item(ana, item.id), last);
    assert.equal(await store().item(ana, testItem(ana, 'e3', noonMs).id), null);
    assert.equal(await store().item(ana, 'nonsense' as Place['id']), null);
  });
}

function members(store: () => InboxStore): void {
  test('the later revision of a member wins, whatever the order of writing', async () => {
    const { id } = testItem(ana, 'e1', noonMs);
    const delta = (revision: number, ...list: ReturnType<typeof testMember>[]) =>
      personWrite(ana, [], { members: [{ item: id, revision, members: list }] });
    await store().write(0, [delta(9_000_000_000_000, testMember('bo', { present: false }), testMember('di'))], [1]);
    await store().write(0, [delta(10, testMember('bo'), testMember('cy'))], [2]);
    const merged = await store().members(ana, id);
    assert.deepEqual(merged.map((member) => [member.key, member.present]).sort(), [
      ['bo', false],
      ['cy', true],
      ['di', true],
    ]);
  });

  test('very many deltas stay readable, once and again, and later ones still win', async () => {
    const { id } = testItem(ana, 'e1', noonMs);
    const count = limits.memberDeltasMax * 2;
    for (let n = 1; n <= count; n++) {
      const list = [testMember(`m${n % 100}`, { timeMs: n })];
      await store().write(0, [personWrite(ana, [], { members: [{ item: id, revision: n, members: list }] })], [n]);
    }
    const byKey = async () => (await store().members(ana, id)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const first = await byKey();
    assert.equal(first.length, 100);
    assert.equal(first.find((member) => member.key === 'm1')?.timeMs, 101);
    assert.deepEqual(await byKey(), first);
    const last = { item: id, revision: count + 1, members: [testMember('m1', { present: false })] };
    await store().write(0, [personWrite(ana, [], { members: [last] })], [count + 1]);
    assert.equal((await byKey()).find((member) => member.key === 'm1')?.present, false);
  });
}

const ids = ['e1', 'e2', 'e3'].map((eventId) => testItem(ana, eventId, noonMs).id);
const small = fc.integer({ min: 1, max: 4 });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const patches: fc.Arbitrary<MarksPatch[]> = fc.array(
  fc
    .record({
      version: small,
      readThrough: optional(small),
      seenThrough: optional(small),
      items: fc.uniqueArray(
        fc.record({
          id: fc.constantFrom(...ids),
          read: optional(fc.boolean()),
          seen: optional(fc.boolean()),
          archived: optional(fc.boolean()),
          snoozedUntilMs: optional(fc.constantFrom(null, 0, 5, 9)),
        }),
        { selector: (change) => change.id, maxLength: 3 },
      ),
    })
    .map((patch) => JSON.parse(JSON.stringify(patch)) as MarksPatch),
  { maxLength: 6 },
);

function marks(store: () => InboxStore): void {
  test('any order of any patches, with repeats and all at once, ends in the same marks', async () => {
    let run = 0;
    const order = fc.infiniteStream(fc.nat());
    await fc.assert(
      fc.asyncProperty(patches, order, async (list, dice) => {
        const [first, second] = [personKey('t', `a${++run}`), personKey('t', `b${run}`)];
        for (const patch of list) await store().mergeMarks(first, patch);
        const shuffled = [...list, ...list.slice(0, 2)]
          .map((patch) => ({ patch, at: dice.next().value as number }))
          .sort((a, b) => a.at - b.at);
        await Promise.all(shuffled.map(({ patch }) => store().mergeMarks(second, patch)));
        assert.deepEqual(await store().marks(second), await store().marks(first));
      }),
      { numRuns: 60 },
    );
  });

  test('merging answers the marks as they then are; the head carries those of its items', async () => {
    const items = [1, 2].map((n) => testItem(ana, `e${n}`, noonMs + n));
    const id = items[0]?.id as Place['id'];
    await store().write(0, [personWrite(ana, items)], [1]);
    await store().mergeMarks(ana, { version: 3, readThrough: 7 });
    const answered = await store().mergeMarks(ana, { version: 4, items: [{ id, snoozedUntilMs: 99 }] });
    assert.deepEqual(answered, await store().marks(ana));
    assert.deepEqual(answered, (await store().head(ana, 10)).marks);
    assert.deepEqual(answered.items.get(id), { snoozedUntilMs: { value: 99, version: 4 } });
    assert.deepEqual([answered.readThrough, answered.readThroughVersion, answered.version], [7, 3, 4]);
  });

  test('the head of many rows still knows the marks of a row that has moved far up', async () => {
    const old = testItem(ana, 'old', noonMs);
    const up = moved(old, noonMs + limits.groupSpanMs, 2);
    const items = [1, 2, 3].map((n) => testItem(ana, `e${n}`, noonMs + limits.groupSpanMs - 10 - n));
    await store().write(0, [personWrite(ana, [old, ...items])], [1]);
    await store().write(0, [moveWrite(ana, up, old)], [2]);
    await store().mergeMarks(ana, { version: 3, items: [{ id: old.id, read: true }] });
    const head = await store().head(ana, 2);
    assert.equal(head.items[0]?.id, old.id);
    assert.equal(head.marks.items.get(old.id)?.read?.value, true);
  });
}

function background(store: () => InboxStore): void {
  test('people with rows are met once, in a stable order, in parts of any size', async () => {
    const all = ['ana', 'an', 'anab', 'é', '😀', 'bo'].map((user) => personKey('default', user));
    for (const person of all) await store().write(0, [personWrite(person, [testItem(person, 'e1', noonMs)])], [1]);
    await store().mergeMarks(personKey('default', 'only marks'), { version: 1, readThrough: 1 });
    for (const size of [1, 2, 10]) {
      const met: string[] = [];
      for (;;) {
        const part = await store().people((met.at(-1) as typeof ana | undefined) ?? null, size);
        if (part.length === 0) break;
        met.push(...part);
      }
      assert.deepEqual(met.toSorted(), all.toSorted());
    }
  });

  test('the place of a rank counts items, not former places', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const other = testItem(ana, 'e2', noonMs - 5);
    const up = moved(item, noonMs + 5, 2);
    await store().write(0, [personWrite(ana, [item, other])], [1]);
    await store().write(0, [moveWrite(ana, up, item)], [2]);
    assert.deepEqual(await store().placeAt(ana, 0), { activityAtMs: noonMs + 5, id: item.id });
    assert.deepEqual(await store().placeAt(ana, 1), { activityAtMs: noonMs - 5, id: other.id });
    assert.equal(await store().placeAt(ana, 2), null);
    assert.equal(await store().placeAt(bo, 0), null);
  });

  test('removing takes the row, its former places, members and marks, and nothing else', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const up = moved(item, noonMs + 5, 2);
    const kept = testItem(ana, 'e2', noonMs + 1);
    const deltas = [item, kept].map(({ id }) => ({ item: id, revision: 1, members: [testMember('bo')] }));
    await store().write(0, [personWrite(ana, [item, kept], { members: deltas })], [1]);
    await store().write(0, [moveWrite(ana, up, item)], [2]);
    const marked = [item, kept].map(({ id }) => ({ id, read: true }));
    await store().mergeMarks(ana, { version: 3, readThrough: 2, items: marked });
    await store().remove(ana, [up], 8);
    const head = await store().head(ana, 10);
    assert.deepEqual([head.items, head.complete, head.deepRevision], [[kept], true, 8]);
    assert.deepEqual([[...head.marks.items.keys()], head.marks.readThrough], [[kept.id], 2]);
    assert.deepEqual(await store().rows(ana, null, 10), [{ kind: 'item', item: kept }]);
    assert.equal(await store().item(ana, item.id), null);
    assert.deepEqual(await store().members(ana, item.id), []);
    assert.equal((await store().members(ana, kept.id)).length, 1);
    await store().remove(ana, [], 6);
    await store().write(0, [personWrite(ana, [], { deepRevision: 7 })], [3]);
    assert.equal((await store().head(ana, 10)).deepRevision, 8);
  });
}
