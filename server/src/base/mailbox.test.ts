import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { domainOf, isAddress, mailbox, normalAddress } from './mailbox.ts';

test('a mailbox is an address with or without a name', () => {
  assert.deepEqual(mailbox('Carillon <notify@app.example>'), { name: 'Carillon', address: 'notify@app.example' });
  assert.deepEqual(mailbox('"Ana, Bo" <a.b+c@app.example>'), { name: 'Ana, Bo', address: 'a.b+c@app.example' });
  assert.deepEqual(mailbox('a@b'), { name: '', address: 'a@b' });
  assert.deepEqual(mailbox('öä@bücher.example'), { name: '', address: 'öä@bücher.example' });
});

test('C4, BC-60: what would add a recipient or a header is no address', () => {
  for (const text of [
    '',
    'a',
    'a@',
    '@b',
    'a@b, c@d',
    'a@b;c@d',
    'a@b c@d',
    'a@b\r\nBcc: c@d',
    'A <a@b>, <c@d>',
    'A\r\nBcc: c@d <a@b>',
    'a@b>',
    '<a@b',
    'a b@c',
    '"a b"@c',
    'group: a@b;',
    'a@[127.0.0.1]',
    'a..b@c',
    'a@b..c',
    `${'a'.repeat(65)}@b`,
    `a@${'b'.repeat(254)}`,
  ]) {
    assert.equal(mailbox(text), null, JSON.stringify(text));
  }
});

test('C4: no text that is an address holds what separates addresses or lines', () => {
  const parts = fc.string({ unit: fc.constantFrom(...'ab.@,;:<>"() \r\n\u0000\u2028[]\\') });
  fc.assert(
    fc.property(fc.oneof(parts, fc.string({ unit: 'binary' })), (text) => {
      if (isAddress(text)) assert.match(text, /^[^\s,;:<>"()[\]\\]+@[^\s,;:<>"()[\]\\@]+$/);
    }),
  );
});

test('two spellings are one address', () => {
  assert.equal(normalAddress(' Ana@App.Example '), 'ana@app.example');
  assert.notEqual(normalAddress('a.na@x.example'), normalAddress('ana@x.example'));
  assert.equal(domainOf('Ana@App.Example'), 'app.example');
});
