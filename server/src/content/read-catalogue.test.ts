import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveContent } from './live-content.ts';
import { checkBuiltInFiles } from './read-catalogue.ts';
import { TestCatalogue } from './test-catalogue.ts';

test('our own files are right', () => {
  assert.deepEqual(checkBuiltInFiles(), []);
});

test('an app adds types and changes ours, in what it says and nothing else', (t) => {
  const app = new TestCatalogue(t);
  app.write('types:\n  shop.sold: { category: shop, lane: social }\n  post.liked: { channels: { push: false } }\n');
  app.write('types:\n  post.liked: { ttlHours: 2 }\n', 'later.yml');
  const content = new LiveContent(app.read());
  assert.equal(content.find('shop.sold@1')?.category, 'shop');
  const like = content.find('post.liked');
  assert.deepEqual(like?.channels, { inApp: true, push: false, email: true });
  assert.deepEqual([like?.ttlMs, like?.grouping, like?.category], [2 * 3_600_000, 'object', 'reactions']);
});

test('every mistake of every file is told at once, with its file, line and kind', (t) => {
  const app = new TestCatalogue(t);
  app.write(
    [
      'types:',
      '  shop.sold:',
      '    lane: fast',
      '    categry: shop',
      '  shop.unsold: { category: shop, lane: social, rule: undo, undoes: [shop.bought, shop.sold] }',
    ].join('\n'),
  );
  app.write('types:\n  a.b: { category: a, lane: social\n', 'broken.yaml');
  app.write('types:\n  a.c: { lane: social, mention: post.liked, family: x, grouping: kind }\n', 'c.yaml');
  const mistakes = app.mistakes();
  assert.match(mistakes[0] ?? '', /^app\.yaml:3:5: types\.shop\.sold\.lane: .* \(schema\)$/);
  assert.match(mistakes[1] ?? '', /^app\.yaml:4:5: types\.shop\.sold\.categry: Is not a known field\. \(schema\)$/);
  assert.equal(mistakes[2], 'app.yaml:5:60: types.shop.unsold.undoes: There is no type `shop.bought`. (reference)');
  assert.match(mistakes[3] ?? '', /^broken\.yaml:\d+:\d+: .* \(yaml\)$/);
  assert.deepEqual(mistakes.slice(-3), [
    'c.yaml:2:3: types.a.c: A new type needs `category`. (schema)',
    'c.yaml:2:24: types.a.c.mention: `post.liked` is not a mention: it lacks `isMention: true`. (conflict)',
    'c.yaml:2:45: types.a.c.family: Only types with `grouping: alone` can share rows by `family`. (conflict)',
  ]);
});

test('keys that do not go together are mistakes', (t) => {
  const cases: Record<string, RegExp> = {
    'rule: undo': /rule: An undo names/,
    'rule: undo, undoes: [a.z]': /undoes: There is no type `a\.z`\. \(reference\)/,
    'rule: undo, undoes: [post.deleted]': /undoes: `post\.deleted` tells nobody/,
    'undoes: [post.liked]': /undoes: Only `rule: undo`/,
    'rule: gone, channels: { push: true }': /channels: A type with `rule: gone` tells nobody/,
    "email: 'off', channels: { email: true }": /email: /,
    'emailAfterMinutes: 5': /emailAfterMinutes: /,
    'critical: true, notify: trailing': /notify: /,
    'windowSeconds: 5': /windowSeconds: /,
    'isMention: true, mention: mention.created': /mention: A mention cannot/,
    'rule: gone, mention: mention.created': /mention: Only things/,
    'actions: [{ id: a, url: /a }, { id: a, url: /b }]': /actions: Two actions/,
    "actions: [{ id: a, url: '/{user}' }]": /actions: There is no \{user\} for links\. \(argument\)/,
  };
  const app = new TestCatalogue(t);
  for (const [keys, expected] of Object.entries(cases)) {
    const mistakes = app.write(`types:\n  a.b: { category: a, lane: social, ${keys} }\n`).mistakes();
    assert.equal(mistakes.length, 1, `${keys}: ${mistakes.join(' | ')}`);
    assert.match(mistakes[0] as string, expected);
  }
});

test('words are checked: syntax, arguments, forms of the plural, types, languages', (t) => {
  const cases: Record<string, RegExp> = {
    "en: { types: { post.liked: { body: '{people' } } }":
      /types\.post\.liked\.body: Is no MessageFormat: .* \(syntax\)/,
    "en: { types: { post.liked: { body: '{poeple} x' } } }":
      /There is no \{poeple\} here, only \{people\}.* \(argument\)/,
    "en: { types: { post.liked: { body: '{count, date}' } } }": /\(syntax\)/,
    "pl: { types: { post.liked: { body: '{count, plural, one {a} other {b}}' } } }": /`few` of \{count\} is missing/,
    "en: { types: { post.liked: { body: '{count, plural, two {a} other {b}}' } } }": /no form `two` for \{count\}/,
    "en: { types: { post.liked: { body: '{kind, select, a {{x}} other {b}}' } } }": /There is no \{x\}/,
    'en: { types: { a.z: { body: x } } }': /types\.a\.z: There is no type `a\.z`\. \(reference\)/,
    'en: { types: { post.liked: { actions: { go: Go } } } }': /The type has no action `go`/,
    'xx: { types: {} }': /messages\.xx: Is not a language/,
    "en: { patterns: { quoted: '{title}' } }": /There is no \{title\} here, only \{text\}/,
  };
  const app = new TestCatalogue(t);
  for (const [words, expected] of Object.entries(cases)) {
    const mistakes = app.write(`messages:\n  ${words}\n`).mistakes();
    assert.ok(
      mistakes.some((mistake) => expected.test(mistake) && mistake.startsWith('app.yaml:2:')),
      `${words}: ${mistakes.join(' | ')}`,
    );
  }
  const fine = "ru: { types: { post.liked: { body: '{count, plural, =1 {a} other {b}}' } } }";
  assert.deepEqual(app.write(`messages:\n  ${fine}\n`).mistakes(), []);
});

test('a file that is not there is a mistake, an empty folder is none', (t) => {
  const app = new TestCatalogue(t);
  assert.deepEqual(app.mistakes(), []);
  app.settings.typeFiles.push(`${app.folder}/none.yaml`);
  assert.deepEqual(app.mistakes(), ['none.yaml: Cannot be read (ENOENT). (yaml)']);
});
