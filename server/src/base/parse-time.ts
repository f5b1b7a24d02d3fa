/** RFC 3339 as the schemas let it through, to milliseconds since 1970. */

/** A leap second (`23:59:60`), which the calendar functions refuse, counts as the second before it. */
export function parseTime(text: string): number {
  return Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59'));
}
