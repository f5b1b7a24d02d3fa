/** What counts as a muted word, in several scripts, and against a plain search for ASCII. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldText, mutedWord, saysWord } from './muted-words.ts';

function finds(word: string, text: string): boolean {
  const muted = mutedWord(word);
  return muted !== null && saysWord(foldText(text), muted);
}

describe('a muted word', () => {
  it('is found as a whole word, in any case', () => {
    for (const text of [
      'spoiler',
      'A SPOILER!',
      '#spoiler',
      '(Spoiler)',
      'no\tspoiler\nhere',
      'spoiler_ep5',
      "spoiler's",
    ]) {
      assert.ok(finds('Spoiler', text), text);
    }
    for (const text of ['spoilers', 'despoiler', 'spoiler2', '', 'spoil er']) assert.ok(!finds('spoiler', text), text);
  });

  it('is found in other spellings of the same letters', () => {
    assert.ok(finds('straße', 'STRASSE 5'));
    assert.ok(finds('café', 'CAFE\u0301'));
    assert.ok(finds('οδοσ', 'ΟΔΟΣ'));
    assert.ok(finds('ΟΔΌΣ', 'οδός'));
    assert.ok(finds('spoiler', 'ｓｐｏｉｌｅｒ'));
    assert.ok(finds('spoiler', 'spo\u00adil\u200ber'));
    assert.ok(finds('спойлер', 'Осторожно, СПОЙЛЕР.'));
  });

  it('is not found inside a longer word of another script either, nor before a mark', () => {
    assert.ok(!finds('кот', 'который'));
    assert.ok(!finds('cafe', 'cafe\u0301'));
    assert.ok(!finds('مرحبا', 'ومرحبا'));
  });

  it('is found anywhere where words are not spaced', () => {
    assert.ok(finds('ネタバレ', 'これはネタバレです'));
    assert.ok(finds('剧透', '小心剧透！'));
    assert.ok(finds('spoiler', 'これはspoilerです'));
  });

  it('may be a phrase, a tag, an emoji, and mean itself where it looks like a pattern', () => {
    assert.ok(finds('season  finale', 'the Season\u00a0Finale tonight'));
    assert.ok(finds('#got', 'about #GoT'));
    assert.ok(!finds('#got', 'about got'));
    assert.ok(finds('🔥', 'so🔥good'));
    assert.ok(finds('c++', 'I like C++!'));
    assert.ok(!finds('a.c', 'abc'));
  });

  it('of nothing finds nothing', () => {
    for (const nothing of ['', ' ', ' \u200b\u00ad']) assert.equal(mutedWord(nothing), null);
  });

  it('is found behind places where it is only part of a word, and beside characters of two units', () => {
    assert.ok(finds('cat', 'concat cats cat'));
    assert.ok(finds('cat', '😀cat😀'));
    assert.ok(!finds('cat', '𐐨cat') && !finds('cat', 'cat𐐨'), 'letters of two units are letters');
    assert.ok(finds('𐐨', '𐐀'), 'and have cases');
  });
});

it('in ASCII, the same as splitting the text at everything that is neither letter nor digit', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', 'c', '1', ' ', '-', '_', '.', '(') });
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '1'), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(text, word, (where, what) => {
      const words = where.toLowerCase().split(/[^a-z0-9]+/);
      assert.equal(finds(what, where), words.includes(what.toLowerCase()));
    }),
    { numRuns: 10_000 },
  );
});

it('any text and word: folding again changes nothing, and a word is found in itself', () => {
  const anyText = fc.string({ unit: 'grapheme', maxLength: 30 });
  fc.assert(
    fc.property(anyText, anyText, (word, around) => {
      const folded = foldText(word);
      assert.equal(foldText(folded), folded);
      if (folded.trim() !== '') assert.ok(finds(word, `${around} ${word} ${around}`));
    }),
    { numRuns: 10_000 },
  );
});
