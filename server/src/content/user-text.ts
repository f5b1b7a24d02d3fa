/**
 * User text inside our sentences (C3, C4): without controls that could turn the sentence around, set apart where its
 * letters may run the other way, and cut between grapheme clusters.
 */
const isolateStart = '\u2068';
const isolateEnd = '\u2069';
const ellipsis = '…';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
const unsafe = /[\u0000-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;
const plain = /^[\u0020-\u007e]*$/;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Text safe to stand inside a sentence; empty if nothing of it can be seen. Plain ASCII, the usual case, is kept as it is. */
export function inSentence(text: string, bytesMax: number): string {
  if (plain.test(text)) return cutToBytes(text.trim(), bytesMax);
  const clean = cleanText(text, bytesMax);
  return clean === '' ? '' : isolated(clean);
}

/** Set apart from what surrounds it, whichever way its letters run. `clean`: without controls of its own. */
export function isolated(clean: string): string {
  return `${isolateStart}${clean}${isolateEnd}`;
}

/** Text safe to stand alone: cleaned and cut, not isolated. */
export function cleanText(text: string, bytesMax: number): string {
  return cutToBytes(text.replace(unsafe, ' ').trim(), bytesMax);
}

/** At most `bytesMax` bytes of UTF-8, ending with an ellipsis where cut; never inside a grapheme cluster. */
export function cutToBytes(text: string, bytesMax: number): string {
  // One UTF-16 unit is at most three bytes.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  let left = bytesMax - Buffer.byteLength(ellipsis);
  let end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    left -= Buffer.byteLength(segment);
    if (left < 0) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd() + ellipsis;
}
