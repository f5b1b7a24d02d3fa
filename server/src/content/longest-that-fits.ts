/**
 * Makes a text fit a channel's limit (C3). The limit counts bytes of the whole encoded payload, so whoever encodes says
 * whether it fits; the text is cut between grapheme clusters, and ends with an ellipsis where something is missing.
 */
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ellipsis = '…';

/**
 * The longest beginning of `text` that fits, never empty: at least its first cluster, for callers that have something else
 * to leave out. `fits` must hold for whatever is shorter than something that fits.
 */
export function longestThatFits(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text;
  const ends = clusterEnds(text);
  let enough = 1;
  let tooMuch = ends.length;
  while (tooMuch - enough > 1) {
    const middle = (enough + tooMuch) >> 1;
    if (fits(cutAt(text, ends[middle - 1] as number))) enough = middle;
    else tooMuch = middle;
  }
  return cutAt(text, ends[enough - 1] as number);
}

/** Ends of the clusters, in UTF-16 units. */
function clusterEnds(text: string): number[] {
  return Array.from(graphemes.segment(text), ({ segment, index }) => index + segment.length);
}

const isolateStart = '\u2068';
const isolateEnd = '\u2069';

/** Closes what was set apart, so that the ellipsis is ours again. */
function cutAt(text: string, end: number): string {
  const kept = text.slice(0, end).replace(/[\s\u2068]+$/, '');
  const isOpen = kept.lastIndexOf(isolateStart) > kept.lastIndexOf(isolateEnd);
  return kept + (isOpen ? isolateEnd : '') + ellipsis;
}
