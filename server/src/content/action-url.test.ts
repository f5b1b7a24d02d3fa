import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { actionArguments, actionUrl } from './action-url.ts';

const facts = (id: string, actorCount = 1) => ({
  actors: [{ id }],
  actorCount,
  object: { kind: 'post', id: 'p1', parent: null },
});

test('parts of the event are set into the link', () => {
  assert.equal(actionUrl('/{objectKind}/{objectId}/by/{actorId}', facts('a1')), '/post/p1/by/a1');
  assert.equal(actionUrl('https://app.example/x?u={actorId}', facts('a b&c')), 'https://app.example/x?u=a%20b%26c');
});

test('a link that lacks a part, or means one of several people, is none', () => {
  assert.equal(actionUrl('/{parentId}', facts('a1')), null);
  assert.equal(actionUrl('/{actorId}', facts('a1', 2)), null);
  assert.equal(actionUrl('/x', facts('a1', 2)), '/x');
  assert.deepEqual(actionArguments('/{actorId}/{user}/{toString}'), ['user', 'toString']);
});

test('C4: no id leads anywhere else', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('.', '..', '...', '../x')),
      (id) => {
        fc.pre(id.isWellFormed());
        const url = actionUrl('/requests/{actorId}/accept', facts(id));
        if (id === '.' || id === '..') return assert.equal(url, null);
        assert.match(url ?? '', /^\/requests\/[^/?#]+\/accept$/);
        assert.equal(new URL(url as string, 'https://app.example').pathname, url);
      },
    ),
  );
});
