import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../base/limits.ts';
import { countItems } from './counts.ts';
import type { MarksPatch } from './inbox-store.ts';
import { type Item, type Marks, noMarks } from './item.ts';
import { isListed, itemState } from './item-state.ts';
import { mergeMarks } from './merge-marks.ts';
import { ana, noonMs, testItem } from './test-items.ts';

const item = testItem(ana, 'e1', noonMs, { revision: 10 });
const { id } = item;

function marked(...patches: MarksPatch[]): Marks {
  return patches.reduce(mergeMarks, noMarks);
}

function state(marks: Marks, of: Item = item): string {
  const { seen, read, archived, snoozedUntil } = itemState(of, marks, noonMs);
  return [seen && 'seen', read && 'read', archived && 'archived', snoozedUntil].filter(Boolean).join(' ');
}

test('nothing marked: unseen and listed', () => {
  assert.equal(state(noMarks), '');
  assert.equal(isListed(item, noMarks, noonMs), true);
});

test('through-marks reach the revision of the last move, not that of the last change', () => {
  assert.equal(state(marked({ version: 1, seenThrough: 10 })), 'seen');
  assert.equal(state(marked({ version: 1, readThrough: 10 })), 'seen read');
  assert.equal(state(marked({ version: 1, readThrough: 9, seenThrough: 9 })), '');
  assert.equal(state(marked({ version: 1, readThrough: 10 }), { ...item, revision: 12 }), 'seen read');
  assert.equal(state(marked({ version: 1, readThrough: 10 }), { ...item, activityRevision: 12 }), '');
});

test('an explicit unread holds against older and stale through-marks, and gives way to a later one', () => {
  const unread = { version: 5, items: [{ id, read: false, seen: true }] };
  assert.equal(state(marked({ version: 4, readThrough: 20 }, unread)), 'seen');
  assert.equal(state(marked(unread, { version: 4, readThrough: 20 })), 'seen');
  assert.equal(state(marked({ version: 4, readThrough: 20 }, unread, { version: 9, readThrough: 3 })), 'seen');
  assert.equal(state(marked({ version: 4, readThrough: 20 }, unread, { version: 9, readThrough: 20 })), 'seen read');
});

test('an older through-mark never un-reads', () => {
  assert.equal(state(marked({ version: 2, readThrough: 10 }, { version: 3, readThrough: 4 })), 'seen read');
});

test('archived and snoozed rows leave the list; a snooze ends by itself', () => {
  const archived = marked({ version: 1, items: [{ id, archived: true }] });
  assert.deepEqual([state(archived), isListed(item, archived, noonMs)], ['archived', false]);
  const snoozed = marked({ version: 1, items: [{ id, snoozedUntilMs: noonMs + 1 }] });
  assert.equal(state(snoozed), '2026-03-10T12:00:00.001Z');
  assert.equal(isListed(item, snoozed, noonMs), false);
  assert.equal(isListed(item, snoozed, noonMs + 1), true);
  assert.equal(itemState(item, snoozed, noonMs + 1).snoozedUntil, null);
  assert.equal(isListed({ ...item, state: 'removed' }, noMarks, noonMs), false);
});

test('counts are those of the listed rows, capped, and say when they were cut', () => {
  const many = Array.from({ length: 150 }, (_, n) => testItem(ana, `e${n}`, noonMs + n, { revision: n + 1 }));
  const count = (marks: Marks, items: Item[] = many) => {
    const { unread, unseen, capped } = countItems(items, marks, noonMs, 7);
    return [unread, unseen, capped];
  };
  assert.deepEqual(count(noMarks), [limits.countMax, limits.countMax, true]);
  assert.deepEqual(count(noMarks, many.slice(0, 100)), [100, 100, false]);
  assert.deepEqual(count(marked({ version: 1, seenThrough: 140 })), [100, 10, true]);
  assert.deepEqual(count(marked({ version: 1, readThrough: 147 })), [3, 3, false]);
  const archived = many.slice(0, 100).map((item) => ({ id: item.id, archived: true }));
  assert.deepEqual(count(marked({ version: 1, items: archived })), [50, 50, false]);
  assert.deepEqual(
    count(
      noMarks,
      many.slice(0, 3).map((item) => ({ ...item, state: 'removed' })),
    ),
    [0, 0, false],
  );
  const { revision, marksVersion } = countItems(many, marked({ version: 3, seenThrough: 1 }), noonMs, 7);
  assert.deepEqual([revision, marksVersion], [7, 3]);
});

test('counting looks no further than the caps need', () => {
  let met = 0;
  const endless = function* () {
    for (;;) yield testItem(ana, `e${met++}`, noonMs);
  };
  assert.equal(countItems(endless(), noMarks, noonMs, 1).capped, true);
  assert.equal(met, limits.countMax + 1);
});
