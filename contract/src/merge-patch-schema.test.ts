import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { mergePatchSchema } from './merge-patch-schema.ts';
import { PreferenceChoices } from './preferences.ts';

test('every part may be absent or null, at any depth, and what it may be else stays', () => {
  const patch = Compile(mergePatchSchema(Type.Object({ a: Type.Object({ b: Type.String() }), c: Type.Integer() })));
  for (const fits of [{}, { a: null }, { a: {} }, { a: { b: null } }, { a: { b: 'x' }, c: 1 }]) {
    assert.ok(patch.Check(fits), JSON.stringify(fits));
  }
  for (const not of [{ a: 1 }, { a: { b: 1 } }, { c: 'x' }, null]) assert.ok(!patch.Check(not), JSON.stringify(not));
});

test('a patch of preferences may remove the choices of one type, and knows no other names', () => {
  const patch = Compile(mergePatchSchema(PreferenceChoices));
  for (const fits of [
    { types: { 'post.liked': null } },
    { types: { 'post.liked': { push: null } } },
    { quietHours: { days: { mon: null } } },
    { pausedUntil: null },
  ]) {
    assert.ok(patch.Check(fits), JSON.stringify(fits));
  }
  assert.ok(!patch.Check({ typos: {} }));
  assert.ok(!patch.Check({ types: { 'post.liked': { push: 'no' } } }));
});
