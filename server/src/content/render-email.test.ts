import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { builtInSource } from './catalogue-source.ts';
import { Content } from './content.ts';
import { absoluteLink, escapeHtml, subjectLine } from './render-email.ts';

const content = new Content(builtInSource());
const facts = {
  type: 'reply.created',
  actors: [{ id: 'a1', name: 'Ana' }],
  actorCount: 1,
  object: { kind: 'comment', id: 'c1', title: 'Nice!', url: '/p/p1#c1', parent: null },
  mentioned: false,
};

test('an email has a subject, words, an absolute link, and labels in its language', () => {
  assert.deepEqual(content.email(facts, 'de', 'https://app.example'), {
    subject: 'Ana hat geantwortet: Nice!',
    body: 'Ana hat geantwortet: Nice!',
    text: 'Ana hat geantwortet: Nice!\n\nÖffnen: https://app.example/p/p1#c1\n',
    locale: 'de',
    direction: 'ltr',
    url: 'https://app.example/p/p1#c1',
    labels: { open: 'Öffnen', settings: 'Einstellungen für Benachrichtigungen', unsubscribe: 'Abbestellen' },
  });
});

test('without an address of the app, a path leads nowhere and is left out', () => {
  const email = content.email(facts, null, null);
  assert.deepEqual([email.url, email.text], [null, 'Ana replied: Nice!\n']);
  assert.equal(absoluteLink('https://app.example/x', null), 'https://app.example/x');
  assert.equal(absoluteLink('/x', 'no url'), null);
  for (const url of ['//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    assert.equal(absoluteLink(url, 'https://app.example'), null);
  }
});

test('C4: no text can break a header, and a subject is one line of bounded length, never empty', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(text, text, (name, title) => {
      const given = { ...facts, actors: [{ id: 'a1', name }], object: { ...facts.object, title } };
      const { subject } = content.email(given, 'ar', 'https://app.example');
      assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u);
      assert.ok(subject !== '' && Buffer.byteLength(subject) <= 200);
      assert.equal(subject.split('\u2068').length, subject.split('\u2069').length);
    }),
  );
  assert.equal(subjectLine('Hi\r\nBcc: x@y.example'), 'Hi Bcc: x@y.example');
});

test('C4: no text becomes markup', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(escapeHtml(text), /[<>"']/);
      assert.doesNotMatch(escapeHtml(text), /&(?!(amp|lt|gt|quot|#39);)/);
    }),
  );
});
