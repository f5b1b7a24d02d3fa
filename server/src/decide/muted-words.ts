/**
 * Muted words in texts (D3): as whole words, in any case and spelling of the same letters.
 *
 * Texts and words are folded first: full-width and composed forms, case (`ß`, `ẞ` and `SS`), Greek final sigma, and characters
 * that cannot be seen are no differences; any white space is one space. A word counts where no letter, mark or digit
 * touches it. Scripts that write no spaces between words have no such edges: there it counts wherever it stands.
 */
const wordCharacter =
  /^[[\p{L}\p{M}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]$/v;

export interface MutedWord {
  /** Folded. */
  readonly text: string;
  /** Whether nothing of a word may touch its beginning, and its end. */
  readonly needsStart: boolean;
  readonly needsEnd: boolean;
}

/** Soft hyphen, zero-width space, word joiner, byte-order mark: written between letters so that words are not found. */
const unseen = /[\u00ad\u200b\u2060\ufeff]/g;
const asciiOnly = /^[\u0020-\u007e]*$/;

export function foldText(text: string): string {
  if (asciiOnly.test(text)) return text.toLowerCase().replace(/ {2,}/g, ' ');
  const folded = text.replace(unseen, '').normalize('NFKC').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').normalize('NFC').replace(/\s+/g, ' ');
}

/** Null where there is nothing to find. */
export function mutedWord(word: string): MutedWord | null {
  const text = foldText(word).trim();
  if (text === '') return null;
  const needsStart = wordCharacter.test(characterAt(text, 0));
  return { text, needsStart, needsEnd: wordCharacter.test(characterBefore(text, text.length)) };
}

/** `folded`: a text, or several with line breaks between. */
export function saysWord(folded: string, { text, needsStart, needsEnd }: MutedWord): boolean {
  for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + 1)) {
    const end = at + text.length;
    const startsFree = !needsStart || at === 0 || !wordCharacter.test(characterBefore(folded, at));
    if (startsFree && (!needsEnd || end === folded.length || !wordCharacter.test(characterAt(folded, end))))
      return true;
  }
  return false;
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) as number);
}

/** `at` is greater than 0. */
function characterBefore(text: string, at: number): string {
  const isPair = (text.codePointAt(at - 2) ?? 0) > 0xffff;
  return characterAt(text, isPair ? at - 2 : at - 1);
}
