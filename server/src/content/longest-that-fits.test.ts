import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { longestThatFits } from './longest-that-fits.ts';

const withinBytes = (max: number) => (text: string) => Buffer.byteLength(text) <= max;
const family = '👩‍👩‍👧‍👦';

test('a text that fits is left alone, another ends with an ellipsis within the limit', () => {
  assert.equal(longestThatFits('abcdefgh', withinBytes(8)), 'abcdefgh');
  assert.equal(longestThatFits('abcdefghi', withinBytes(8)), 'abcde…');
  assert.equal(longestThatFits('ab cdefgh', withinBytes(6)), 'ab…');
});

test('it is cut between grapheme clusters: a family, a flag, a letter with its marks stay whole or go', () => {
  assert.equal(longestThatFits(family + family, withinBytes(49)), `${family}…`);
  assert.equal(longestThatFits('🇩🇪🇫🇷🇮🇹', withinBytes(20)), '🇩🇪🇫🇷…');
  assert.equal(longestThatFits('நிநிநி', withinBytes(16)), 'நிநி…');
});

test('what was set apart is closed before the ellipsis', () => {
  assert.equal(longestThatFits('\u2068عمر\u2069 liked it', withinBytes(15)), '\u2068عمر\u2069…');
  assert.equal(longestThatFits('\u2068عمر\u2069 liked it', withinBytes(13)), '\u2068عم\u2069…');
  assert.equal(longestThatFits('a \u2068عمر\u2069', withinBytes(6)), 'a…');
});

test('whatever the text and limit: never empty, whole clusters, within the limit wherever one cluster is', () => {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    fc
      .array(fc.constantFrom(family, '🇩🇪', 'நி', 'é', 'a', ' ', '"', '\n'), { minLength: 1, maxLength: 40 })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, fc.nat(200), (given, max) => {
      const fits = withinBytes(max);
      const kept = longestThatFits(given, fits);
      assert.ok(kept !== '');
      if (kept === given) return assert.ok(fits(given));
      assert.ok(kept.endsWith('…'));
      const clusters = Array.from(graphemes.segment(given), ({ segment }) => segment);
      const beginnings = clusters.map((_, index) =>
        clusters
          .slice(0, index + 1)
          .join('')
          .trimEnd(),
      );
      const end = beginnings.indexOf(kept.slice(0, -1));
      assert.ok(end >= 0, JSON.stringify([given, kept]));
      // One cluster more would have been too much, or all there is.
      const more = beginnings.slice(end + 1).find((beginning) => beginning !== beginnings[end]);
      if (more !== undefined && more !== given.trimEnd())
        assert.ok(!fits(`${more}…`), JSON.stringify([given, kept, more]));
      if (end > 0) assert.ok(fits(kept));
    }),
  );
});
