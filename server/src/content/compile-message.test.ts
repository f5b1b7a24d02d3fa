/** The oracle is `intl-messageformat`, which formats the same messages in its own, slower way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';
import { builtInLocales } from './built-in-files.ts';
import { compileMessage } from './compile-message.ts';
import { localeTools } from './locale-tools.ts';

interface Given {
  readonly count: number;
  readonly kind: string;
}

const names = { count: ({ count }: Given) => count, kind: ({ kind }: Given) => kind };

const messages = [
  'plain',
  '{kind}',
  '{count, number} of {kind}!',
  '{count, plural, =0 {none} one {# one} two {# two} few {# few} many {# many} other {# other}}',
  '{count, plural, offset:1 =0 {nobody} =1 {{kind}} one {{kind} and # more} other {{kind} and # more}}',
  '{count, selectordinal, one {#st} two {#nd} few {#rd} many {#m} other {#th}}',
  '{kind, select, post {a post} other {something {count, plural, other {({kind} #)}}}}',
  "it''s '{'kind'}' # <b>{kind}</b> it's",
  '{kind}{kind} {count, number}{kind} {kind}',
];

test('messages come out as the reference makes them, in every locale', () => {
  for (const locale of builtInLocales()) {
    const tools = localeTools(locale);
    for (const text of messages) {
      const compiled = compileMessage(text, tools, names);
      const reference = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
      fc.assert(
        fc.property(fc.nat(1_200_000), fc.constantFrom('post', 'song', ''), (count, kind) => {
          assert.equal(compiled({ count, kind }), reference.format({ count, kind }), `${locale}: ${text}`);
        }),
        { numRuns: 40 },
      );
    }
  }
});

test('lists are those of Intl, without the comma of English', () => {
  for (const locale of builtInLocales()) {
    const { list } = localeTools(locale);
    const format = new Intl.ListFormat(locale === 'en' ? 'en-GB' : locale, { type: 'conjunction' });
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Ana', 'Bo', 'Inés', 'Hilda', 'דנה', '5 others', '田'), { maxLength: 6 }),
        (parts) => {
          assert.equal(list(parts), format.format(parts), locale);
        },
      ),
    );
  }
});

test('what no message may have is refused', () => {
  const tools = localeTools('en');
  for (const text of ['{user}', '{count', '{count, date}', '{count, plural, one {#}}', '{toString}', '{}']) {
    assert.throws(() => compileMessage(text, tools, names), SyntaxError, text);
  }
});
