/**
 * Fields of stored rows, one a line. A field that holds a line break, a backslash, the sign for null or a lone
 * surrogate (which UTF-8 cannot carry) is escaped as in JSON; all others, nearly all there are, stand as they are.
 */
const nullSign = '\u0001';

// Surrogates are looked at more closely, since most of them come in pairs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sign for null
const special = /[\n\\\u0001\ud800-\udfff]/;

/** A line break and the field behind it. */
export function line(text: string): string {
  return special.test(text) ? `\n${escaped(text)}` : `\n${text}`;
}

export function lineOrNull(text: string | null): string {
  return text === null ? `\n${nullSign}` : line(text);
}

/** The fields of a text. Null is still its sign: see `textOrNull`. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (!text.includes('\\')) return lines;
  return lines.map((field) => (field.includes('\\') ? (JSON.parse(`"${field}"`) as string) : field));
}

export function textOrNull(field: string | undefined): string | null {
  return field === nullSign || field === undefined ? null : field;
}

function escaped(text: string): string {
  if (text.isWellFormed() && !/[\n\\]/.test(text) && text !== nullSign) return text;
  return JSON.stringify(text).slice(1, -1);
}
