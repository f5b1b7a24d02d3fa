/** What every inbox store must do with what people have beside rows, and with people who are erased. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../base/ids.ts';
import type { InboxStore } from './inbox-store.ts';
import { noMarks } from './item.ts';
import { ana, moved, moveWrite, noonMs, personWrite, testItem, testMember } from './test-items.ts';

const bo = personKey('default', 'bo');

/** `refusesLateWrites`: see `StoreUnderTest`. */
export function besides(store: () => InboxStore, refusesLateWrites: boolean): void {
  test('notes are written with the rows, kept where a write brings none, and each person has their own', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const notes = { revision: 5, text: '1\n5\n\nwhat is\nkept' };
    await store().write(0, [personWrite(ana, [item], { notes })], [1]);
    await store().write(0, [personWrite(ana, [{ ...item, revision: 2 }])], [2]);
    assert.equal((await store().head(ana, 10)).notes, notes.text);
    assert.equal((await store().head(ana, 0)).notes, notes.text);
    await store().write(0, [personWrite(bo, [], { notes: { revision: 1, text: 'of bo' } })], [3]);
    await store().write(0, [personWrite(ana, [], { notes: { revision: 6, text: 'later' } })], [4]);
    assert.equal((await store().head(ana, 10)).notes, 'later');
    assert.equal((await store().head(bo, 10)).notes, 'of bo');
  });

  test('events that left no row lie in slots of their person, the last of each, and make nobody’s list longer', async () => {
    const dropped = (slot: number, text: string) => ({ slot, text, decidedAtMs: noonMs + text.length });
    await store().write(0, [personWrite(ana, [], { dropped: [dropped(0, '1\na'), dropped(31, '1\nbb')] })], [1]);
    await store().write(
      0,
      [personWrite(ana, [testItem(ana, 'e1', noonMs)], { dropped: [dropped(0, '1\nlater')] })],
      [2],
    );
    await store().write(0, [personWrite(bo, [], { dropped: [dropped(1, '1\nof bo')] })], [3]);
    assert.deepEqual((await store().dropped(ana)).toSorted(), ['1\nbb', '1\nlater']);
    assert.deepEqual(await store().dropped(bo), ['1\nof bo']);
    assert.deepEqual(await store().dropped(personKey('default', 'nobody')), []);
    assert.equal((await store().head(ana, 10)).items.length, 1);
    assert.equal((await store().rows(ana, null, 10)).length, 1);
    assert.deepEqual((await store().marks(ana)).items.size, 0);
    await store().mergeMarks(ana, { version: 1, readThrough: 1 });
    assert.deepEqual(await store().people(null, 10), [ana]);
  });

  test('erasing takes everything of the person and of nobody else, and what is written later is kept', async () => {
    const item = testItem(ana, 'e1', noonMs);
    const up = moved(item, noonMs + 5, 2);
    const more = {
      members: [{ item: item.id, revision: 2, members: [testMember('cy')] }],
      notes: { revision: 4, text: 'noted' },
      dropped: [{ slot: 0, text: 'dropped', decidedAtMs: 0 }],
    };
    for (const person of [ana, bo]) {
      await store().write(0, [personWrite(person, [testItem(person, 'e1', noonMs)], more)], [1]);
      await store().mergeMarks(person, { version: 3, readThrough: 2, items: [{ id: item.id, read: true }] });
    }
    await store().write(0, [moveWrite(ana, up, item)], [2]);
    const ofBo = await store().head(bo, 10);
    await store().erase(ana, 7);
    await store().erase(ana, 7);
    const { items, complete, marks, notes } = await store().head(ana, 10);
    assert.deepEqual([items, complete, { ...marks }, notes], [[], true, { ...noMarks }, undefined]);
    assert.deepEqual([await store().rows(ana, null, 10), await store().dropped(ana)], [[], []]);
    assert.equal(await store().item(ana, item.id), null);
    assert.deepEqual(await store().members(ana, item.id), []);
    assert.deepEqual(await store().people(null, 10), [bo]);
    assert.deepEqual(await store().head(bo, 10), ofBo);
    if (refusesLateWrites) {
      await store().write(0, [personWrite(ana, [item], more)], [3]);
      assert.deepEqual((await store().head(ana, 10)).items, [], 'what was on its way');
      assert.deepEqual(await store().members(ana, item.id), []);
    }
    const revision = Math.max(8, (await store().head(ana, 1)).deepRevision + 1);
    const again = { ...item, revision, createdRevision: revision, activityRevision: revision };
    const delta = { item: item.id, revision, members: [testMember('di')] };
    await store().write(0, [personWrite(ana, [again], { members: [delta], deepRevision: revision })], [4]);
    assert.deepEqual((await store().head(ana, 10)).items, [again]);
    assert.deepEqual(
      (await store().members(ana, item.id)).map(({ key }) => key),
      ['di'],
    );
  });
}
