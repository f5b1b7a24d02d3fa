import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EmailSecrets } from './email-secrets.ts';

const secrets = new EmailSecrets('s'.repeat(32));

test('what is sealed opens again, for its own use only', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 4 }), (content) => {
      const token = secrets.seal('unsubscribe', content);
      assert.deepEqual(secrets.open('unsubscribe', token), content);
      assert.equal(secrets.open('preferences', token), null);
      assert.equal(secrets.seal('unsubscribe', content), token);
    }),
  );
});

test('BC-56: a token with one character changed, left out or added is none', () => {
  const token = secrets.seal('unsubscribe', ['default', 'r1', 'reactions']);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_=. %'), (at, char) => {
      const changed = token.slice(0, at) + char + token.slice(at + 1);
      if (changed !== token) assert.equal(secrets.open('unsubscribe', changed), null);
      assert.equal(secrets.open('unsubscribe', token.slice(0, at)), null);
      assert.equal(secrets.open('unsubscribe', token.slice(0, at) + char + token.slice(at)), null);
    }),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(secrets.open('reference', text), null)));
});

test('a token shows nothing of whom it is for', () => {
  const token = secrets.seal('preferences', ['default', 'ana@app.example']);
  assert.doesNotMatch(Buffer.from(token, 'base64url').toString('latin1'), /ana|default/);
});

test('after a change of the secret, old links work while it is named, and new ones are made with the new one', () => {
  const old = secrets.seal('unsubscribe', ['a']);
  const next = new EmailSecrets('n'.repeat(32), ['s'.repeat(32)]);
  assert.deepEqual(next.open('unsubscribe', old), ['a']);
  assert.notEqual(next.seal('unsubscribe', ['a']), old);
  assert.equal(new EmailSecrets('n'.repeat(32)).open('unsubscribe', old), null);
});

test('ids are the same each time, and differ by every part', () => {
  assert.equal(secrets.idOf(['a', 'b']), secrets.idOf(['a', 'b']));
  assert.notEqual(secrets.idOf(['a', 'b']), secrets.idOf(['ab', '']));
  assert.match(secrets.idOf(['message', 'd_1']), /^[A-Za-z0-9_-]{22}$/);
});
