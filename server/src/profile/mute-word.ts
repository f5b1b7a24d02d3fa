/**
 * A muted word as it is kept and compared: compatible forms and upper case are one, spaces are joined. Empty for what has
 * nothing to compare. Texts to compare with go through the same.
 */
export function muteWord(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}
