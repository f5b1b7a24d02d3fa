/**
 * Fields of stored rows, one a line. A field that holds a line break, a backslash or a lone surrogate (which UTF-8
 * cannot carry) is escaped as in JSON; all others, nearly all there are, stand as they are. Where a field may be null,
 * a sign says so, and a text that begins with the sign gets one more.
 */
const nullSign = '\u0001';

// Surrogates are looked at more closely, since most of them come in pairs.
const special = /[\n\\\ud800-\udfff]/;

/** A line break and the field behind it. */
export function line(text: string): string {
  return special.test(text) ? `\n${escaped(text)}` : `\n${text}`;
}

export function lineOrNull(text: string | null): string {
  if (text === null) return `\n${nullSign}`;
  return text.startsWith(nullSign) ? line(nullSign + text) : line(text);
}

/** The fields of a text. Those that may be null go through `textOrNull`. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (!text.includes('\\')) return lines;
  return lines.map((field) => (field.includes('\\') ? (JSON.parse(`"${field}"`) as string) : field));
}

export function textOrNull(field: string | undefined): string | null {
  if (field === undefined || field === nullSign) return null;
  return field.startsWith(nullSign) ? field.slice(1) : field;
}

function escaped(text: string): string {
  return text.isWellFormed() && !/[\n\\]/.test(text) ? text : JSON.stringify(text).slice(1, -1);
}
