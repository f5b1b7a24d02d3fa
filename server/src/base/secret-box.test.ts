import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { drawKeys, masterOf, SecretBox, SecretUnreadable } from './secret-box.ts';

const keys = drawKeys('k1');
const box = new SecretBox(keys);
const place = { purpose: 'deviceAddress', owner: 't\u0001ana' } as const;
const unreadable = (code: SecretUnreadable['code']) => (error: unknown) =>
  error instanceof SecretUnreadable && error.code === code;

describe('SecretBox', () => {
  test('any text comes out as it went in, and cannot be seen in what is stored', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        const sealed = box.seal(text, place);
        assert.equal(box.open(sealed, place), text);
        if (text.length > 8) assert.ok(!sealed.includes(text));
      }),
    );
  });

  test('the same text never looks the same twice', () => {
    assert.equal(new Set(Array.from({ length: 100 }, () => box.seal('token', place))).size, 100);
  });

  test('opens in its own place only', () => {
    const sealed = box.seal('token', place);
    const others = [
      { ...place, owner: 't\u0001bo' },
      { ...place, owner: 'u\u0001ana' },
      { ...place, purpose: 'emailAddress' },
    ] as const;
    for (const other of others) assert.throws(() => box.open(sealed, other), unreadable('SECRET_DAMAGED'));
  });

  test('whatever single byte is changed, it does not open', () => {
    const parts = box.seal('a token of some length', place).split('.');
    for (const part of [2, 3]) {
      const bytes = Buffer.from(parts[part] as string, 'base64url');
      for (const at of bytes.keys()) {
        const changed = Buffer.from(bytes);
        changed[at] = (bytes[at] as number) ^ 1;
        const text = parts.with(part, changed.toString('base64url')).join('.');
        assert.throws(() => box.open(text, place), unreadable('SECRET_DAMAGED'), `part ${part}, byte ${at}`);
      }
    }
  });

  test('what is no sealed text is refused', () => {
    for (const text of ['', 'token', '1.k1', '1.k1..', '1.k1.AAAA.AAAA', '2.k1.AAAA.AAAA'])
      assert.throws(() => box.open(text, place), unreadable('SECRET_DAMAGED'), text);
  });

  test('another process with the same keys reads it; a new key seals, and the old one still opens', () => {
    const old = box.seal('token', place);
    assert.equal(new SecretBox(keys).open(old, place), 'token');
    const rotated = new SecretBox({ ...keys, masters: [...drawKeys('k2').masters, ...keys.masters] });
    assert.equal(rotated.open(old, place), 'token');
    assert.ok(!rotated.isCurrent(old));
    const sealed = rotated.seal('token', place);
    assert.ok(rotated.isCurrent(sealed));
    assert.equal(masterOf(sealed), 'k2');
    assert.throws(() => box.open(sealed, place), unreadable('SECRET_KEY_MISSING'));
    assert.throws(() => new SecretBox(drawKeys('k1')).open(old, place), unreadable('SECRET_DAMAGED'));
  });

  test('an index is the same everywhere for the same key, purpose and parts, and another for any other', () => {
    const index = box.indexOf('emailAddress', ['t', 'ana@example.org']);
    assert.equal(new SecretBox(keys).indexOf('emailAddress', ['t', 'ana@example.org']), index);
    const others = [
      box.indexOf('emailAddress', ['u', 'ana@example.org']),
      box.indexOf('emailAddress', ['t', 'ana@example.or', 'g']),
      box.indexOf('deviceAddress', ['t', 'ana@example.org']),
      new SecretBox(drawKeys('k1')).indexOf('emailAddress', ['t', 'ana@example.org']),
    ];
    assert.equal(new Set([index, ...others]).size, 5);
    assert.match(index, /^[A-Za-z0-9_-]{43}$/);
  });
});
