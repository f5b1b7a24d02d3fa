/**
 * What a pause and quiet hours mean for something that would leave now, and that in words (D7).
 *
 * It is quiet whenever a clock in the person's zone shows a time inside a span, which belongs to the day it begins on. The
 * clock itself is asked, minute by minute, so that changes of the clocks need no rule of their own.
 */
const minuteMs = 60_000;
const weekMinutes = 7 * 24 * 60;
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/**
 * `choices`: the preferences document. `timeZone`: a name the browser knows.
 * @returns {{ untilMs: number | null, quietFromMs: number | null, quietUntilMs: number | null }} until when something is held
 *   that would leave now; if nothing is, when it is quiet next, from when and until when
 */
export function heldBack(choices, timeZone, nowMs) {
  const isQuiet = quietTest(choices.quietHours, timeZone);
  const pausedUntilMs = choices.pausedUntil ? Date.parse(choices.pausedUntil) : 0;
  const leavesMs =
    isQuiet === null ? Math.max(nowMs, pausedUntilMs) : nextMs(Math.max(nowMs, pausedUntilMs), isNot(isQuiet));
  const nothing = { untilMs: null, quietFromMs: null, quietUntilMs: null };
  if (leavesMs !== null && leavesMs > nowMs) return { ...nothing, untilMs: leavesMs };
  const quietFromMs = isQuiet === null ? null : nextMs(nowMs, isQuiet);
  if (quietFromMs === null) return nothing;
  return { untilMs: null, quietFromMs, quietUntilMs: nextMs(quietFromMs, isNot(isQuiet)) };
}

/** One or two sentences for `heldBack`. */
export function heldBackWords(choices, timeZone, nowMs) {
  const { untilMs, quietFromMs, quietUntilMs } = heldBack(choices, timeZone, nowMs);
  const at = (ms) => timeWords(ms, timeZone, nowMs);
  if (untilMs !== null) return `Held back for now. What waits is delivered ${at(untilMs)}.`;
  if (quietFromMs === null) return 'Nothing is held back: push and email leave as soon as they are due.';
  return `Nothing is held back now. Quiet begins ${at(quietFromMs)}; what comes then is delivered ${at(quietUntilMs)}.`;
}

/** `today at 22:00`, `tomorrow at 08:00`, `on Friday at 08:00`, on the clocks of `timeZone`. */
export function timeWords(ms, timeZone, nowMs) {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(ms);
  const days = (dateNumber(ms, timeZone) - dateNumber(nowMs, timeZone)) / (24 * 60 * minuteMs);
  if (days === 0) return `today at ${clock}`;
  if (days === 1) return `tomorrow at ${clock}`;
  const format = days < 7 ? { weekday: 'long' } : { day: 'numeric', month: 'long' };
  return `on ${new Intl.DateTimeFormat('en-GB', { timeZone, ...format }).format(ms)} at ${clock}`;
}

/** The span that holds every day, or null where days differ or have none, or several. */
export function everyDaySpan(quietHours) {
  const days = weekdays.map((weekday) => quietHours?.days[weekday] ?? []);
  const [first] = days[0];
  const isSame = (spans) => spans.length === 1 && spans[0].from === first.from && spans[0].to === first.to;
  return first !== undefined && days.every(isSame) ? first : null;
}

/** Quiet from `from` to `to` on all seven days. */
export function everyDay(from, to) {
  return { enabled: true, days: Object.fromEntries(weekdays.map((weekday) => [weekday, [{ from, to }]])) };
}

/** A test of a time, or null where it is never quiet. */
function quietTest(quietHours, timeZone) {
  if (quietHours?.enabled !== true) return null;
  const spans = weekdays.map((weekday) => quietHours.days[weekday] ?? []);
  if (spans.every((ofDay) => ofDay.length === 0)) return null;
  const wallClock = wallClockOf(timeZone);
  return (ms) => {
    const { day, time } = wallClock(ms);
    const today = spans[day].some(({ from, to }) => time >= from && (time < to || to <= from));
    return today || spans[(day + 6) % 7].some(({ from, to }) => to <= from && time < to);
  };
}

/** The first full minute not before `ms` for which `test` holds, `ms` itself if it does; null within a week. */
function nextMs(ms, test) {
  if (test(ms)) return ms;
  const firstMs = Math.ceil(ms / minuteMs) * minuteMs;
  for (let at = 0; at <= weekMinutes; at++) if (test(firstMs + at * minuteMs)) return firstMs + at * minuteMs;
  return null;
}

function isNot(test) {
  return (ms) => !test(ms);
}

/** `day`: 0 for Monday; `time`: as `08:00`, which compares as text. */
function wallClockOf(timeZone) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return { day: weekdays.indexOf(parts.weekday.toLowerCase()), time: `${parts.hour}:${parts.minute}` };
  };
}

/** The date in `timeZone` as a number that counts days. */
function dateNumber(ms, timeZone) {
  return Date.parse(new Intl.DateTimeFormat('en-CA', { timeZone }).format(ms));
}
