import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { builtInSource } from './catalogue-source.ts';
import { Content } from './content.ts';
import { fitPush, type PushFacts, type PushText, strictest } from './render-push.ts';

const content = new Content(builtInSource());
const secret = 'secret-7';

function facts(type: string, change: Partial<PushFacts> = {}): PushFacts {
  const actors = [{ id: 'a1', name: 'Ana', avatar: 'https://app.example/a1.png' }];
  const parent = { kind: 'post', id: 'p1', title: `parent of ${secret}`, url: '/p/p1' };
  const image = 'https://app.example/i.png';
  const object = { kind: 'comment', id: 'c1', title: secret, url: '/p/p1#c1', image, parent };
  return { type, actors, actorCount: 1, object, mentioned: false, ...change };
}

/** As a provider might: some frame, the text escaped as JSON does it. */
const encode = (push: PushText): string => JSON.stringify({ aps: { alert: push }, v: 1 });

test('a push says who, what and where it leads', () => {
  const push = content.push(facts('reply.created'), null, 'full');
  assert.deepEqual(push, {
    title: 'Replies',
    body: `Ana replied: ${secret}`,
    locale: 'en',
    direction: 'ltr',
    url: '/p/p1#c1',
    image: 'https://app.example/i.png',
    actions: [],
  });
  assert.equal(content.push(facts('reply.created'), 'he', 'full').direction, 'rtl');
});

test('C5: words of messages stay out of pushes, whatever the person allows; who wrote is shown', () => {
  const push = content.push(facts('message.sent'), null, 'full');
  assert.equal(push.body, 'Ana sent you a message');
  assert.equal(push.image, 'https://app.example/a1.png');
  assert.doesNotMatch(encode(push), new RegExp(secret));
});

test('C5: a person may allow less: who but not what, or nothing at all', () => {
  const sender = content.push(facts('comment.created'), null, 'sender');
  assert.equal(sender.body, 'Ana commented on your post');
  const hidden = content.push(facts('message.sent'), 'de', 'hidden');
  assert.deepEqual([hidden.title, hidden.body, hidden.image], ['Benachrichtigung', 'Neue Nachricht', null]);
});

test('C5: at no level but the full one does anything that people wrote get into a push, in any type and locale', () => {
  for (const { name, rule } of content.types.types) {
    if (rule !== 'notify') continue;
    for (const locale of content.words.locales) {
      for (const lockScreen of ['sender', 'hidden'] as const) {
        const text = encode(content.push(facts(name), locale, lockScreen));
        assert.ok(!text.includes(secret), `${name} ${locale} ${lockScreen}: ${text}`);
        if (lockScreen === 'hidden') assert.doesNotMatch(text, /Ana|a1\.png/);
      }
    }
  }
});

test('the stricter of type and person holds', () => {
  assert.equal(strictest('full', 'sender'), 'sender');
  assert.equal(strictest('hidden', 'full'), 'hidden');
  assert.equal(strictest('full', 'full'), 'full');
});

test('C6: a type that is gone from the catalogue is still told of, without the words of others', () => {
  const push = content.push(facts('shop.sold'), null, 'full');
  assert.equal(push.body, 'Ana has news for you');
});

test('C4: links that must not be shown become none', () => {
  const object = {
    ...facts('post.liked').object,
    url: 'javascript:alert(1)',
    image: 'http://evil.example/i',
    parent: null,
  };
  const push = content.push(
    facts('post.liked', { object, actors: [{ id: 'a', name: 'A', avatar: 'data:,x' }] }),
    null,
    'full',
  );
  assert.deepEqual([push.url, push.image], [null, null]);
});

const longText = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }),
  fc
    .array(fc.constantFrom('👩‍👩‍👧‍👦', '"', '\\', 'نص', 'a', ' '), { minLength: 1, maxLength: 300 })
    .map((parts) => parts.join('')),
);

test('C3: whatever the texts, the encoded payload keeps the limit, and neither title nor body is ever empty', () => {
  const push = fc.record({
    title: longText,
    body: longText,
    locale: fc.constant('en'),
    direction: fc.constant('ltr' as const),
    url: fc.oneof(
      fc.constant(null),
      fc.constant('/p/p1'),
      fc.string({ maxLength: 300 }).map((text) => `/${encodeURIComponent(text)}`),
    ),
    image: fc.constantFrom(null, 'https://app.example/i.png'),
    actions: fc.constantFrom([], [{ id: 'a', label: 'Accept', url: '/accept' }]),
  });
  fc.assert(
    fc.property(push, fc.integer({ min: 260, max: 4096 }), (given, bytesMax) => {
      const fitted = fitPush(given, bytesMax, encode);
      assert.ok(Buffer.byteLength(encode(fitted)) <= bytesMax);
      assert.ok(fitted.title !== '' && fitted.body !== '');
      if (Buffer.byteLength(encode(given)) <= bytesMax) assert.equal(fitted, given);
    }),
  );
});

test('C3: a long body is shortened before anything else goes; a picture and buttons go before the title is touched', () => {
  const given: PushText = {
    title: 'Replies',
    body: 'x'.repeat(5000),
    locale: 'en',
    direction: 'ltr',
    url: '/p/p1',
    image: `https://app.example/${'i'.repeat(300)}`,
    actions: [{ id: 'a', label: 'Accept', url: '/accept' }],
  };
  const roomy = fitPush(given, 4096, encode);
  assert.deepEqual({ ...roomy, body: '' }, { ...given, body: '' });
  assert.equal(Buffer.byteLength(encode(roomy)), 4096);
  const tight = fitPush(given, 400, encode);
  assert.deepEqual([tight.title, tight.image, tight.url], ['Replies', null, '/p/p1']);
  assert.ok(tight.body.length >= 80);
});

test('C3: a limit that not even the frame keeps is a fault, not an empty push', () => {
  assert.throws(() => fitPush(content.push(facts('post.liked'), null, 'full'), 20, encode), RangeError);
});
