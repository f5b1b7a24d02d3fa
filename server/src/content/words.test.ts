import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasons } from '@carillon/contract/reasons.ts';
import fc from 'fast-check';
import { builtInLocales } from './built-in-files.ts';
import { builtInSource } from './catalogue-source.ts';
import { Content } from './content.ts';
import { phraseNames, slotNames } from './message-declaration.ts';
import { builtInTypes } from './type-catalogue.ts';

const content = new Content(builtInSource());
const telling = builtInTypes.types.filter(({ rule }) => rule === 'notify').map(({ name }) => name);

/** Names and titles that come from people: usual, missing, right-to-left, hostile. */
const words = fc.oneof(
  fc.constantFrom(
    null,
    '',
    ' ',
    'Ana',
    'عمر',
    '{people}',
    "it's {0}",
    '\u202egnp.exe',
    'a\u2069b',
    '👩‍👩‍👧‍👦',
    'x'.repeat(400),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const facts = fc
  .record({
    type: fc.constantFrom(...telling, 'shop.sold'),
    actorCount: fc.constantFrom(0, 1, 2, 3, 4, 7, 12, 21, 22, 100, 1001),
    names: fc.array(words, { minLength: 3, maxLength: 3 }),
    known: fc.boolean(),
    title: words,
    parentTitle: words,
    hasParent: fc.boolean(),
    kind: fc.constantFrom('post', 'comment', 'photo', 'song', ''),
    mentioned: fc.boolean(),
  })
  .map(({ type, actorCount, names, known, title, parentTitle, hasParent, kind, mentioned }) => ({
    type,
    actorCount,
    actors: known ? names.slice(0, Math.min(actorCount, 3)).map((name, index) => ({ id: `a${index}`, name })) : [],
    object: {
      kind,
      id: 'o1',
      title,
      url: null,
      parent: hasParent ? { kind: 'post', id: 'p1', title: parentTitle, url: null } : null,
    },
    mentioned,
  }));

/** Every isolate is closed, in order, and nothing can turn what stands around it. */
function assertIsolated(text: string): void {
  let depth = 0;
  for (const char of text) {
    if (char === '\u2068') depth++;
    else if (char === '\u2069') depth--;
    assert.ok(depth >= 0 && depth <= 1, JSON.stringify(text));
    assert.doesNotMatch(char, /[\u202a-\u202e\u2066\u2067\u200e\u061c]/, JSON.stringify(text));
  }
  assert.equal(depth, 0, JSON.stringify(text));
}

test('there are words in at least 20 locales, right-to-left ones among them', () => {
  const locales = builtInLocales();
  assert.ok(locales.length >= 20);
  for (const locale of ['ar', 'fa', 'he']) assert.ok(content.words.in(locale).tools.isRightToLeft, locale);
});

test('every type has its own words in every locale', () => {
  for (const locale of builtInLocales()) {
    const own = content.words.in(locale);
    assert.equal(own.locale, locale);
    for (const type of telling) {
      const texts = own.texts(type);
      assert.ok(texts.isOwn, `${locale} ${type}`);
      if (locale === 'en' || locale.startsWith('en-')) continue;
      const about = {
        type,
        actors: [],
        actorCount: 1,
        object: { kind: '', title: null, parent: null },
        mentioned: false,
      };
      const english = content.words.in('en').texts(type);
      assert.notEqual(texts.body(about), english.body(about), `${locale} ${type}`);
    }
  }
});

test('whatever the facts, every text of every channel is whole in every locale', () => {
  for (const locale of builtInLocales()) {
    const own = content.words.in(locale);
    fc.assert(
      fc.property(facts, (about) => {
        const texts = own.texts(about.type);
        for (const slot of slotNames) {
          const text = texts[slot](about);
          assert.ok(text.trim() !== '', `${locale} ${about.type} ${slot}`);
          // Braces come from people's words alone.
          const theirs = JSON.stringify([about.actors, about.object]);
          if (!/[{}]/.test(theirs)) assert.doesNotMatch(text, /[{}]/, `${locale} ${about.type} ${slot}`);
          assert.doesNotMatch(text, /\b(undefined|null|NaN)\b/, `${locale} ${about.type} ${slot}: ${text}`);
          assert.ok(Buffer.byteLength(text) < 5 * 170 + 300, `${locale} ${about.type} ${slot}`);
          if (locale !== 'fa') assertIsolated(text);
        }
      }),
      { numRuns: 60 },
    );
  }
});

test('in a right-to-left sentence every word of others is set apart, in others what may run the other way', () => {
  const about = {
    type: 'comment.created',
    actors: [
      { id: 'a', name: 'Ana' },
      { id: 'b', name: 'عمر' },
    ],
    actorCount: 2,
    object: {
      kind: 'comment',
      id: 'c',
      title: null,
      url: null,
      parent: { kind: 'post', id: 'p', title: 'Trip', url: null },
    },
    mentioned: false,
  };
  assert.equal(
    content.describe(about, 'ar').text.body,
    'تعليق على منشورك «\u2068Trip\u2069» من \u2068Ana\u2069 و\u2068عمر\u2069',
  );
  assert.equal(content.describe(about, 'en').text.body, 'Ana and \u2068عمر\u2069 commented on your post “Trip”');
});

test('plurals follow the language, not English', () => {
  const body = (locale: string, actorCount: number): string => {
    const actors = ['Ana', 'Bo', 'Cy'].slice(0, Math.min(actorCount, 3)).map((name) => ({ id: name, name }));
    const object = { kind: 'post', id: 'p', title: null, url: null, parent: null };
    return content.describe({ type: 'post.liked', actors, actorCount, object, mentioned: false }, locale).text.body;
  };
  assert.equal(body('de', 1), 'Ana hat deinen Beitrag mit „Gefällt mir“ markiert');
  assert.equal(body('de', 3), 'Ana, Bo und Cy haben deinen Beitrag mit „Gefällt mir“ markiert');
  assert.equal(body('pl', 4), 'Ana, Bo i 2 inne osoby lubią Twój post');
  assert.equal(body('pl', 7), 'Ana, Bo i 5 innych osób lubią Twój post');
  assert.equal(body('ru', 23), 'Ana, Bo и ещё 21 человек ставят «Нравится» вашей публикации');
  assert.equal(body('ru', 24), 'Ana, Bo и ещё 22 человека ставят «Нравится» вашей публикации');
  assert.equal(body('ja', 7), 'Ana、Bo、他5人さんがあなたの投稿に「いいね！」しました');
  assert.equal(body('es', 2), 'A Ana y Bo les gusta tu publicación');
  assert.equal(body('en', 7), 'Ana, Bo and 5 others liked your post');
});

test('a locale without words falls along its parents, then to the default, then to English', () => {
  const title = (locale: string | null, of = content): string =>
    of.words
      .in(locale)
      .texts('live.started')
      .title({
        type: 'live.started',
        actors: [],
        actorCount: 0,
        object: { kind: '', title: null, parent: null },
        mentioned: false,
      });
  assert.equal(title('es-MX'), 'En vivo');
  assert.equal(title('es-ES'), 'En directo');
  assert.equal(title('pt-AO'), 'Em direto');
  assert.equal(title('nb-NO'), 'Direkte');
  assert.equal(content.words.in('zh-TW').phrase('open'), '開啟');
  assert.equal(content.words.in('zh-SG').phrase('open'), '打开');
  assert.equal(title('sw'), 'Live');
  assert.equal(title('no such tag'), 'Live');
  assert.equal(title(null), 'Live');
  const french = new Content({ ...builtInSource(), defaultLocale: 'fr-CA' });
  assert.equal(title('sw', french), 'En direct');
  assert.equal(title(null, french), 'En direct');
  assert.equal(title('en-GB', french), 'Live');
});

test('any locale may be the default, and each then says everything', () => {
  for (const defaultLocale of [...builtInLocales(), 'pt-BR', 'en-GB', 'xx-YY']) {
    const other = new Content({ ...builtInSource(), defaultLocale });
    for (const locale of ['en', 'es-MX', 'pt', 'pt-PT', 'sw', defaultLocale]) {
      for (const name of phraseNames) assert.notEqual(other.words.in(locale).phrase(name, 3), '');
    }
  }
});

test('every reason has a sentence for every channel and outcome in every locale', () => {
  const until = '2026-03-11T07:00:00Z';
  for (const locale of builtInLocales()) {
    const seen = new Set<string>();
    for (const reason of reasons) {
      for (const channel of ['inApp', 'push', 'email'] as const) {
        for (const kind of ['send', 'hold', 'skip'] as const) {
          const decision = kind === 'hold' ? { channel, kind, reason, until } : { channel, kind, reason };
          const text = content.explain(decision, locale, 'Asia/Kathmandu');
          assert.doesNotMatch(text, /[{}]|undefined/, text);
          seen.add(text);
        }
      }
    }
    assert.equal(seen.size, reasons.length * 9, locale);
  }
  const held = content.explain({ channel: 'email', kind: 'hold', reason: 'cap', until }, 'de', 'Europe/Berlin');
  assert.equal(
    held,
    'Per E-Mail zurückgehalten bis 11. März 2026, 08:00 MEZ: du hattest schon viele Benachrichtigungen.',
  );
  const unsaid = content.explain({ channel: 'push', kind: 'hold', reason: 'window' }, 'en', 'UTC');
  assert.equal(unsaid, 'Held back from push: it is gathered with others of its kind.');
});

test('what is kept is bounded, whatever is asked for', () => {
  const other = new Content(builtInSource());
  const before = other.words.in('en').texts('no.such');
  for (let index = 0; index < 3000; index++) {
    other.words.in(`en-x-a${index}`);
    other.words.accepted(`de;q=0.${index}`);
    assert.equal(other.words.in('en').texts(`no.such${index}`), before);
  }
});
