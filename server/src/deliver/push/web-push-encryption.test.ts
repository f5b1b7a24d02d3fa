import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { test } from 'node:test';
import { systemRandom } from '../../base/random.ts';
import { encryptForBrowser, encryptionBytes, oneTimeSecrets } from './web-push-encryption.ts';

const keys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

test('V10: the example of RFC 8291, section 5', () => {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'));
  const salt = Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url');
  const body = encryptForBrowser(Buffer.from('When I grow up, I want to be a watermelon'), keys, { salt, pair });
  assert.equal(
    body.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('no two bodies are alike, and each has the bytes that were counted', () => {
  const text = Buffer.from('the same');
  const [first, second] = [0, 1].map(() =>
    encryptForBrowser(text, keys, oneTimeSecrets(systemRandom, createECDH('prime256v1'))),
  );
  assert.notDeepEqual(first, second);
  assert.equal(first?.length, text.length + encryptionBytes);
});

test('what is no point of the curve, and a text for two records, are errors', () => {
  const bad = { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') };
  assert.throws(() => encryptForBrowser(Buffer.from('x'), bad, oneTimeSecrets(systemRandom, createECDH('prime256v1'))));
  assert.throws(
    () => encryptForBrowser(Buffer.alloc(3994), keys, oneTimeSecrets(systemRandom, createECDH('prime256v1'))),
    RangeError,
  );
});
