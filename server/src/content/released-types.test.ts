import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkCatalogue } from './check-catalogue.ts';
import { type Break, breaks, releasedTypes } from './released-types.ts';
import { resolveTypes } from './resolve-types.ts';
import { builtInTypes } from './type-catalogue.ts';
import type { TypeDeclaration } from './type-declaration.ts';

const released = JSON.parse(readFileSync(new URL('./types/released.json', import.meta.url), 'utf8'));

function changed(changes: Record<string, Partial<TypeDeclaration>>): Break[] {
  const declared = new Map<string, TypeDeclaration>([
    ['a.made', { category: 'a', lane: 'social', grouping: 'object' }],
    ['a.unmade', { category: 'a', lane: 'social', rule: 'undo', undoes: ['a.made'] }],
    ['a.told', { category: 'a', lane: 'social', fromApp: true }],
  ]);
  const before = releasedTypes(resolveTypes(declared));
  for (const [name, change] of Object.entries(changes)) {
    declared.set(name, { ...(declared.get(name) as TypeDeclaration), ...change });
  }
  return breaks(before, resolveTypes(declared));
}

test('what was released of our types is not broken', () => {
  assert.deepEqual(breaks(released, builtInTypes.types), []);
  assert.deepEqual(checkCatalogue({ typeFiles: [], defaultLocale: 'en', linkSchemes: [] }).breaks, []);
});

test('words, windows and channels may change, and types may be added', () => {
  assert.deepEqual(
    changed({
      'a.made': { notify: 'leading', channels: { push: false }, ttlHours: 1, privacy: 'hidden' },
      'a.new': { category: 'a', lane: 'social' },
    }),
    [],
  );
});

test('what would break a producer or an old record is named', () => {
  assert.deepEqual(
    changed({ 'a.told': { fromApp: false } }).map(({ type, concerns }) => [type, concerns]),
    [['a.told', 'producers']],
  );
  for (const change of [{ grouping: 'kind' }, { lane: 'direct' }, { category: 'b' }] as const) {
    const [found, ...others] = changed({ 'a.made': change });
    assert.deepEqual([found?.type, found?.concerns, others], ['a.made', 'records', []]);
  }
  assert.match(changed({ 'a.unmade': { undoes: ['a.told'] } })[0]?.detail ?? '', /not undo `a\.made`/);
});

test('a type that is gone breaks both', () => {
  const before = releasedTypes(builtInTypes.types);
  const left = builtInTypes.types.filter(({ name }) => name !== 'post.liked');
  assert.deepEqual(
    breaks(before, left).map(({ type, concerns }) => [type, concerns]),
    [
      ['post.liked', 'producers'],
      ['post.liked', 'records'],
    ],
  );
});
