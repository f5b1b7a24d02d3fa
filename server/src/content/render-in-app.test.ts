import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeInApp } from './describe-in-app.ts';
import type { DescribedFacts } from './render-in-app.ts';
import { cutToBytes, inSentence } from './user-text.ts';

type Change = Partial<Omit<DescribedFacts, 'object'>> & {
  names?: string[];
  title?: string | null;
  object?: { kind: string; title: string | null; parent?: { kind: string; title: string | null } };
};

function facts(change: Change = {}): DescribedFacts {
  const { names = ['Ana'], title = 'My trip', object = { kind: 'post', title }, ...rest } = change;
  const parent = object.parent === undefined ? null : { ...object.parent, id: 'p1', url: null };
  return {
    type: 'post.liked',
    actors: names.map((name) => ({ id: name.toLowerCase(), name })),
    actorCount: names.length,
    object: { ...object, id: 'o1', url: null, parent },
    mentioned: false,
    ...rest,
  };
}

function body(change: Change = {}): string {
  return describeInApp(facts(change)).text.body;
}

test('people are named as far as they fit, the others counted', () => {
  assert.equal(body({ title: null }), 'Ana liked your post');
  assert.equal(body({ names: ['Ana', 'Bo'] }), 'Ana and Bo liked your post “My trip”');
  assert.equal(body({ names: ['Ana', 'Bo', 'Cy'] }), 'Ana, Bo and Cy liked your post “My trip”');
  assert.equal(body({ names: ['Ana', 'Bo', 'Cy'], actorCount: 7 }), 'Ana, Bo and 5 others liked your post “My trip”');
  assert.equal(body({ names: ['Ana', 'Bo'], actorCount: 3 }), 'Ana, Bo and 1 other liked your post “My trip”');
  assert.equal(body({ names: ['Ana'], actorCount: 12_346, title: null }), 'Ana and 12,345 others liked your post');
  assert.equal(body({ actors: [{ id: 'a1', name: null }], title: null }), 'a1 liked your post');
  assert.equal(body({ actors: [{ id: 'a1', name: ' \u202e ' }], title: '\u200f' }), 'a1 liked your post');
  assert.equal(body({ actors: [], actorCount: 1, title: null }), 'Someone liked your post');
});

test('replies, comments and mentions bring their words, but only those of one person', () => {
  const comment = { kind: 'comment', title: 'Nice!', parent: { kind: 'post', title: 'My trip' } };
  assert.equal(body({ type: 'reply.created', object: comment }), 'Ana replied: Nice!');
  assert.equal(
    body({ type: 'reply.created', object: comment, mentioned: true }),
    'Ana replied and mentioned you: Nice!',
  );
  assert.equal(body({ type: 'comment.created', object: comment }), 'Ana commented on your post “My trip”: Nice!');
  assert.equal(
    body({ type: 'comment.created', object: comment, names: ['Ana', 'Bo'] }),
    'Ana and Bo commented on your post “My trip”',
  );
  assert.equal(body({ type: 'mention.created', object: comment }), 'Ana mentioned you in a comment: Nice!');
});

test('other types, known or not, say something true', () => {
  assert.equal(body({ type: 'user.followed' }), 'Ana followed you');
  assert.equal(body({ type: 'security.alert', title: 'New sign-in from Oslo' }), 'New sign-in from Oslo');
  assert.equal(body({ type: 'security.alert', title: null }), 'Check your recent activity');
  assert.equal(body({ type: 'shop.sold', title: null }), 'Ana has news for you');
});

test('text that may run the other way is isolated and stripped of its controls', () => {
  assert.equal(body({ names: ['عمر'], title: null }), '\u2068عمر\u2069 liked your post');
  assert.equal(body({ names: ['\u202egnp.exe'], title: null }), '\u2068gnp.exe\u2069 liked your post');
  assert.equal(inSentence('a\u2069b\u202ec\nd', 100), '\u2068a b c d\u2069');
});

test('long titles are cut between grapheme clusters and say so', () => {
  assert.equal(cutToBytes('abcdefgh', 8), 'abcdefgh');
  assert.equal(cutToBytes('abcdefghi', 8), 'abcde…');
  assert.equal(cutToBytes('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 30), '👩‍👩‍👧‍👦…');
  assert.ok(Buffer.byteLength(body({ title: 'x'.repeat(500) })) < 220);
});

test('whatever the text: never empty, never over the limit, every isolate closed', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  fc.assert(
    fc.property(
      text,
      text,
      fc.constantFrom('post.liked', 'security.alert', 'a.b', 'reply.created'),
      (n, title, type) => {
        const shown = body({ names: [n], title, type });
        assert.ok(shown.length > 0);
        assert.ok(Buffer.byteLength(shown) < 3 * 160 + 100);
        assert.equal(shown.split('\u2068').length, shown.split('\u2069').length);
        assert.doesNotMatch(shown, /[\u202a-\u202e\u2066\u2067\u200e\u200f]/);
      },
    ),
  );
});
