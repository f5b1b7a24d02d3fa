/** RFC 3339 UTC times as `Date` writes them, in a tenth of the time where many lie on one day. */
export const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));

let cachedDay = Number.NaN;
let cachedPrefix = '';

/** `timeMs`: whole milliseconds since 1970, within the range of `Date`; throws a RangeError outside it. */
export function isoTime(timeMs: number): string {
  const day = Math.floor(timeMs / dayMs);
  if (day !== cachedDay) {
    // All but `00:00:00.000Z`.
    cachedPrefix = new Date(timeMs).toISOString().slice(0, -13);
    cachedDay = day;
  }
  const rest = timeMs - day * dayMs;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const millis = String(rest - seconds * 1000).padStart(3, '0');
  return `${cachedPrefix}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}.${millis}Z`;
}
