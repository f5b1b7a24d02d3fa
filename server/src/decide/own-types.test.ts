/** An app's own types do whatever ours do: undo, mentions in things and in edits, families, deletions (C1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveTypes } from '../content/resolve-types.ts';
import { createTypeCatalogue } from '../content/type-catalogue.ts';
import type { TypeDeclaration } from '../content/type-declaration.ts';
import { type TestEvent, TestInbox } from './test-inbox.ts';

const common = { category: 'wiki', lane: 'direct' } as const;
const declared: Record<string, TypeDeclaration> = {
  'page.starred': { ...common, grouping: 'object' },
  'page.unstarred': { ...common, rule: 'undo', undoes: ['page.starred', 'page.watched'] },
  'page.watched': { ...common, grouping: 'object' },
  'note.written': { ...common, grouping: 'parent', mention: 'note.mentioned' },
  'note.mentioned': { ...common, family: 'note', isMention: true },
  'note.answered': { ...common, family: 'note' },
  'note.edited': { ...common, rule: 'edit', mention: 'note.mentioned' },
  'note.reworded': { ...common, rule: 'edit' },
  'note.removed': { ...common, rule: 'gone' },
};
const types = createTypeCatalogue(resolveTypes(new Map(Object.entries(declared))));

const inbox = (): TestInbox => new TestInbox('r1', types);
const note = (type: string, actor: string, more: Partial<TestEvent> = {}): TestEvent => ({
  type,
  actor,
  on: 'note:n1',
  parent: 'page:w1',
  ...more,
});

test('an undo takes back every type that it names', () => {
  const own = inbox().give(
    { type: 'page.starred', actor: 'a1', on: 'page:w1' },
    { type: 'page.watched', actor: 'a1', on: 'page:w1', atMs: 1 },
    { type: 'page.starred', actor: 'a2', on: 'page:w1', atMs: 2 },
    { type: 'page.unstarred', actor: 'a1', on: 'page:w1', atMs: 3 },
  );
  assert.deepEqual(own.shown, ['page.starred page:w1 a2 (1)']);
});

test('an undo that comes first is remembered for every type that it names', () => {
  const own = inbox().give(
    { type: 'page.unstarred', actor: 'a1', on: 'page:w1', atMs: 9 },
    { type: 'page.starred', actor: 'a1', on: 'page:w1' },
    { type: 'page.watched', actor: 'a1', on: 'page:w1' },
  );
  assert.deepEqual(own.shown, []);
  assert.equal(own.told, 0);
});

test('a thing and the mention in it are one row, whichever comes first, told once', () => {
  const first = inbox().give(note('note.written', 'a1'), note('note.mentioned', 'a1', { atMs: 1 }));
  const later = inbox().give(note('note.mentioned', 'a1'), note('note.written', 'a1', { atMs: 1 }));
  for (const own of [first, later]) {
    assert.deepEqual(own.shown, ['note.written note:n1 a1 (1) mentioned']);
    assert.equal(own.told, 1);
  }
});

test('types of one family share the row of one person and thing', () => {
  const own = inbox().give(note('note.mentioned', 'a1'), note('note.answered', 'a1', { atMs: 1 }));
  assert.deepEqual(own.shown, ['note.answered note:n1 a1 (1) mentioned']);
  assert.equal(own.told, 1);
});

test('an edit tells of its mention once, and takes it back when it is gone', () => {
  const own = inbox().give(note('note.edited', 'a1', { mentions: ['r1'], atMs: 1 }));
  assert.deepEqual(own.shown, ['note.mentioned note:n1 a1 (1)']);
  own.give(note('note.edited', 'a1', { mentions: ['r1'], atMs: 2 }));
  assert.equal(own.told, 1);
  assert.deepEqual(own.give(note('note.edited', 'a1', { mentions: [], atMs: 3 })).shown, []);
});

test('an edit without a mention of its own only rewords', () => {
  const own = inbox().give(note('note.answered', 'a1', { title: 'old' }));
  own.give(note('note.reworded', 'a1', { title: 'new', mentions: ['r1'], atMs: 1 }));
  assert.deepEqual(
    own.rows.map(({ object }) => object.title),
    ['new'],
  );
  assert.equal(own.told, 1);
});

test('a deletion takes the thing out of every row', () => {
  const own = inbox().give(
    note('note.written', 'a1'),
    note('note.written', 'a2', { on: 'note:n2', atMs: 1 }),
    note('note.answered', 'a1', { atMs: 2 }),
    note('note.removed', 'a1', { atMs: 3 }),
  );
  assert.deepEqual(own.shown, ['note.written note:n2 a2 (1)']);
});
