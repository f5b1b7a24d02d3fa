import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { actionArguments, actionUrl } from './action-url.ts';
import { safeLink } from './safe-link.ts';

const act = (template: string, about: Parameters<typeof actionUrl>[1]): string | null =>
  actionUrl(template, about, safeLink);

const facts = (id: string, actorCount = 1) => ({
  actors: [{ id }],
  actorCount,
  object: { kind: 'post', id: 'p1', parent: null },
});

test('parts of the event are set into the link', () => {
  assert.equal(act('/{objectKind}/{objectId}/by/{actorId}', facts('a1')), '/post/p1/by/a1');
  assert.equal(act('https://app.example/x?u={actorId}', facts('a b&c')), 'https://app.example/x?u=a%20b%26c');
});

test('a link that lacks a part, or means one of several people, is none', () => {
  assert.equal(act('/{parentId}', facts('a1')), null);
  assert.equal(act('/{actorId}', facts('a1', 2)), null);
  assert.equal(act('/x', facts('a1', 2)), '/x');
  assert.deepEqual(actionArguments('/{actorId}/{user}/{toString}'), ['user', 'toString']);
});

test('C4: no id leads anywhere else', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('.', '..', '...', '../x')),
      (id) => {
        fc.pre(id.isWellFormed());
        const url = act('/requests/{actorId}/accept', facts(id));
        if (id === '.' || id === '..') return assert.equal(url, null);
        assert.match(url ?? '', /^\/requests\/[^/?#]+\/accept$/);
        assert.equal(new URL(url as string, 'https://app.example').pathname, url);
      },
    ),
  );
});
