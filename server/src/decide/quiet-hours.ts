/**
 * Quiet hours (D7): whether it is quiet for a person now, and until when.
 *
 * It is quiet whenever a clock on the person's wall shows a time inside one of the spans, each of which belongs to the day
 * it begins on. So where clocks go back, a span that lies in the repeated hour is quiet both times; where they go
 * forward, what lies in the missing hour is not there, and a span that ends in it ends when the clocks have moved.
 *
 * The answer says until when it holds, so that a person needs one for each end of a span, not one for each event. Spans
 * are looked up in local time of the week, which runs evenly between two changes of the zone's offset.
 */
import type { QuietHours } from '@carillon/contract/preferences.ts';
import { weekdays } from '@carillon/contract/weekdays.ts';
import { knownZone } from './known-zone.ts';

export interface Quietness {
  /** When it ends, if it is quiet; else null. */
  readonly untilMs: number | null;
  /** The answer is the same for every time from the one asked about until before this. */
  readonly validUntilMs: number;
  readonly validFromMs: number;
  /** False: the stored zone is not known here, and UTC was taken. */
  readonly isZoneKnown: boolean;
}

/** Spans of the local week in milliseconds from Monday 00:00: merged, in order, none empty. */
export type QuietSpans = readonly { readonly fromMs: number; readonly toMs: number }[];

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const weekMs = 7 * dayMs;
/** 1970 began on a Thursday. */
const epochInWeekMs = 3 * dayMs;

/** None where there are no quiet hours, or they are switched off. */
export function quietSpans(quietHours: QuietHours | undefined): QuietSpans {
  if (quietHours?.enabled !== true) return [];
  const pieces = weekdays.flatMap((weekday, day) =>
    (quietHours.days[weekday] ?? []).flatMap(({ from, to }) => inWeek(day * dayMs, minutesOf(from), minutesOf(to))),
  );
  const merged: { fromMs: number; toMs: number }[] = [];
  for (const piece of pieces.sort((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1);
    if (last !== undefined && piece.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, piece.toMs);
    else merged.push({ ...piece });
  }
  return merged;
}

/** `timeZone`: null where the person has none. */
export function quietAt(spans: QuietSpans, timeZone: string | null, nowMs: number): Quietness {
  if (spans.length === 0) {
    return { untilMs: null, validFromMs: nowMs, validUntilMs: Number.POSITIVE_INFINITY, isZoneKnown: true };
  }
  const { id: zone, isAsStored } = knownZone(timeZone);
  const isQuiet = isInside(spans, localMs(zone, nowMs));
  const endsAtMs = nextChange(spans, zone, nowMs);
  return {
    untilMs: isQuiet ? endsAtMs : null,
    validFromMs: nowMs,
    validUntilMs: endsAtMs,
    isZoneKnown: isAsStored,
  };
}

/** Whether an answer of before is good for this time. */
export function stillHolds({ validFromMs, validUntilMs }: Quietness, nowMs: number): boolean {
  return nowMs >= validFromMs && nowMs < validUntilMs;
}

/** A span on a day, in one or two pieces of the week. One from a time to itself is none: the API refuses it. */
function inWeek(dayStartMs: number, from: number, to: number): { fromMs: number; toMs: number }[] {
  if (from === to) return [];
  const fromMs = dayStartMs + from * minuteMs;
  const toMs = dayStartMs + to * minuteMs + (to < from ? dayMs : 0);
  if (toMs <= weekMs) return [{ fromMs, toMs }];
  return [
    { fromMs, toMs: weekMs },
    { fromMs: 0, toMs: toMs - weekMs },
  ];
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** When it stops, or begins, to be quiet; where it is quiet all the week, in a week. */
function nextChange(spans: QuietSpans, zone: string, nowMs: number): number {
  if (spans[0]?.fromMs === 0 && spans[0].toMs === weekMs) return nowMs + weekMs;
  const isQuiet = isInside(spans, localMs(zone, nowMs));
  for (let atMs = nowMs; ; ) {
    const changeMs = atMs + untilEdge(spans, localMs(zone, atMs), isQuiet);
    const offsetEndsMs = nextOffsetChange(zone, atMs);
    if (changeMs < offsetEndsMs) return changeMs;
    // The clocks move first: what they show then may lie on the other side.
    if (isInside(spans, localMs(zone, offsetEndsMs)) !== isQuiet) return offsetEndsMs;
    atMs = offsetEndsMs;
  }
}

/** From a time of the week to the next end of a span, or beginning. */
function untilEdge(spans: QuietSpans, weekTimeMs: number, isQuiet: boolean): number {
  const first = spans[0] as QuietSpans[number];
  if (!isQuiet) {
    const next = spans.find(({ fromMs }) => fromMs > weekTimeMs);
    return (next?.fromMs ?? first.fromMs + weekMs) - weekTimeMs;
  }
  const { toMs } = spans.find((span) => span.toMs > weekTimeMs) as QuietSpans[number];
  // Sunday night goes on into Monday.
  const endMs = toMs === weekMs && first.fromMs === 0 ? weekMs + first.toMs : toMs;
  return endMs - weekTimeMs;
}

function isInside(spans: QuietSpans, weekTimeMs: number): boolean {
  return spans.some(({ fromMs, toMs }) => weekTimeMs >= fromMs && weekTimeMs < toMs);
}

/** Time of the week that clocks in the zone show. */
function localMs(zone: string, atMs: number): number {
  const offsetMs = zoned(zone, atMs).offsetNanoseconds / 1e6;
  return (((atMs + offsetMs + epochInWeekMs) % weekMs) + weekMs) % weekMs;
}

function nextOffsetChange(zone: string, atMs: number): number {
  return zoned(zone, atMs).getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
}

function zoned(zone: string, atMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
}
