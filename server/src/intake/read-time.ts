/**
 * Reads an RFC 3339 time from bytes, strictly: every field in range, days by month and year, an offset required.
 * Both paths of validation use it, so they cannot disagree. A leap second (`:60`) is refused: no clock here has one.
 */
const digit0 = 0x30;

/** Milliseconds since 1970 of the time at [start, end), fractions of a millisecond cut off; NaN if it is none. */
export function readTime(buffer: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length < 20 || length > 40) return Number.NaN;
  const month = two(buffer, start + 5);
  const year = two(buffer, start) * 100 + two(buffer, start + 2);
  const day = two(buffer, start + 8);
  const hour = two(buffer, start + 11);
  const minute = two(buffer, start + 14);
  const second = two(buffer, start + 17);
  // Any non-digit made its number NaN, which fails these comparisons.
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour <= 23 && minute <= 59 && second <= 59;
  if (!inRange || !(year >= 0) || !separatorsAt(buffer, start) || day > daysIn(month, year)) return Number.NaN;
  let at = start + 19;
  let fractionMs = 0;
  if (buffer[at] === 0x2e) {
    const from = at + 1;
    at = from;
    for (let unit = 100; at < end && isDigit(buffer[at] as number); at++, unit /= 10) {
      if (unit >= 1) fractionMs += unit * ((buffer[at] as number) - digit0);
    }
    if (at === from) return Number.NaN;
  }
  const offsetMs = readOffset(buffer, at, end);
  return (
    daysFromEpoch(year, month, day) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs - offsetMs
  );
}

function separatorsAt(buffer: Uint8Array, start: number): boolean {
  const t = buffer[start + 10];
  return (
    buffer[start + 4] === 0x2d &&
    buffer[start + 7] === 0x2d &&
    (t === 0x54 || t === 0x74) &&
    buffer[start + 13] === 0x3a &&
    buffer[start + 16] === 0x3a
  );
}

/** `Z` or `+hh:mm`, to the very end. */
function readOffset(buffer: Uint8Array, at: number, end: number): number {
  const sign = buffer[at];
  if (end - at === 1 && (sign === 0x5a || sign === 0x7a)) return 0;
  if (end - at !== 6 || (sign !== 0x2b && sign !== 0x2d) || buffer[at + 3] !== 0x3a) return Number.NaN;
  const hours = two(buffer, at + 1);
  const minutes = two(buffer, at + 4);
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN;
  return (sign === 0x2b ? 1 : -1) * (hours * 60 + minutes) * 60_000;
}

function two(buffer: Uint8Array, at: number): number {
  const tens = buffer[at] as number;
  const ones = buffer[at + 1] as number;
  return isDigit(tens) && isDigit(ones) ? (tens - digit0) * 10 + ones - digit0 : Number.NaN;
}

function isDigit(byte: number): boolean {
  return byte >= digit0 && byte <= 0x39;
}

function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days from 1970-01-01 in the proleptic Gregorian calendar (Hinnant's civil-from-days, the other way). */
function daysFromEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
