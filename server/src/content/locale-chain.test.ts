import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { acceptedLanguages, localeChain } from './locale-chain.ts';

test('locales fall back along the parents of CLDR', () => {
  const chains: Record<string, string[]> = {
    'es-MX': ['es-MX', 'es-419', 'es'],
    'es-ES': ['es-ES', 'es'],
    'pt-AO': ['pt-AO', 'pt-PT', 'pt'],
    'pt-BR': ['pt-BR', 'pt'],
    'en-GB': ['en-GB', 'en-001', 'en'],
    'en-DE': ['en-DE', 'en-150', 'en-001', 'en'],
    'en-US': ['en-US', 'en'],
    'de-AT': ['de-AT', 'de'],
    nb: ['nb', 'no'],
    'nn-NO': ['nn-NO', 'nn', 'no'],
    'de-CH-1996': ['de-CH-1996', 'de-CH', 'de'],
  };
  for (const [tag, chain] of Object.entries(chains)) assert.deepEqual(localeChain(tag), chain);
});

test('no locale falls into another script', () => {
  assert.deepEqual(localeChain('zh-TW'), ['zh-Hant-TW', 'zh-Hant']);
  assert.deepEqual(localeChain('zh-Hant-MO'), ['zh-Hant-MO', 'zh-Hant-HK', 'zh-Hant']);
  assert.deepEqual(localeChain('zh-Hans-CN'), ['zh-Hans-CN', 'zh-Hans', 'zh']);
  assert.deepEqual(localeChain('sr-ME'), ['sr-Latn-ME', 'sr-Latn']);
  assert.deepEqual(localeChain('hi-Latn'), ['hi-Latn', 'en-IN', 'en-001', 'en']);
});

test('tags are canonical, and what is none has no chain', () => {
  assert.deepEqual(localeChain('EN_us'.replace('_', '-')), ['en-US', 'en']);
  assert.deepEqual(localeChain('iw-IL'), ['he-IL', 'he']);
  assert.deepEqual(localeChain('de-DE-u-co-phonebk'), ['de-DE', 'de']);
  for (const tag of ['', 'x', 'und', 'en_US', 'de--DE', '../../etc']) assert.deepEqual(localeChain(tag), [], tag);
});

test('an Accept-Language header names languages in the order of their weight', () => {
  assert.deepEqual(acceptedLanguages('da, en-GB;q=0.8, en;q=0.7, *;q=0.1'), ['da', 'en-GB', 'en']);
  assert.deepEqual(acceptedLanguages('en;q=0.5,de'), ['de', 'en']);
  assert.deepEqual(acceptedLanguages('fr;q=0, de;q=x, ,;q=1'), []);
});

test('whatever a caller sends, it ends and never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const tag of acceptedLanguages(text)) assert.ok(localeChain(tag).length <= 40);
      assert.ok(localeChain(text).length <= 40);
    }),
  );
});
