/**
 * When a person's next digest is made (D10, V23): at their local hour, on each local date it is for, once per date
 * whatever the clocks do [BC-24]. Where the hour is missing that day it is the first moment after the gap; where it comes
 * twice, the first time.
 *
 * A digest is known by its local date, never by its moment: whoever moves to another zone, or whose zone changes its
 * rules, has one for each date all the same.
 */
import type { Digest } from '@carillon/contract/preferences.ts';
import { type Weekday, weekdays } from '@carillon/contract/weekdays.ts';
import { knownZone } from './known-zone.ts';

export interface DigestPlan {
  readonly atMs: number;
  /** What it is known by: `2026-03-10`. */
  readonly localDate: string;
  /** False: the stored zone is not known here, and UTC was taken. */
  readonly isZoneKnown: boolean;
}

export interface DigestPerson {
  readonly digest: Digest | undefined;
  /** Null where the person has none. */
  readonly timeZone: string | null;
  /** The date of the last digest that was made; null: none yet. */
  readonly lastDate: string | null;
}

const defaultTime = '08:00';
const defaultWeekday: Weekday = 'mon';
/** A weekly digest is at most so far away, two where today's is over. */
const daysLooked = 15;

/** The first digest after a moment; null where the person has none. */
export function nextDigest(person: DigestPerson, afterMs: number): DigestPlan | null {
  const { digest, timeZone, lastDate } = person;
  if (digest === undefined || digest.email === 'off') return null;
  const { id: zone, isAsStored } = knownZone(timeZone);
  const time = Temporal.PlainTime.from(digest.at ?? defaultTime);
  const today = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(zone).toPlainDate();
  // Who went west may have had the digest of a date that is still to come there.
  const first = lastDate === null ? today : later(today, Temporal.PlainDate.from(lastDate).add({ days: 1 }));
  for (let days = 0; days < daysLooked; days++) {
    const date = first.add({ days });
    if (!isFor(digest, date)) continue;
    const atMs = momentOf(date.toPlainDateTime(time), zone);
    if (atMs <= afterMs) continue;
    return { atMs, localDate: date.toString(), isZoneKnown: isAsStored };
  }
  throw new Error(`no digest within ${daysLooked} days of ${first.toString()} in ${zone}`);
}

/**
 * The date that a digest is due for; null where it is not: its hour is still to come, or that of the next after the last.
 * Asked when a timer says so, for the person may have moved since it was set, or chosen another hour.
 */
export function digestDue(person: DigestPerson, nowMs: number): string | null {
  const { digest, timeZone, lastDate } = person;
  if (digest === undefined || digest.email === 'off') return null;
  const { id: zone } = knownZone(timeZone);
  const time = Temporal.PlainTime.from(digest.at ?? defaultTime);
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate();
  for (let days = 0; days < daysLooked; days++) {
    const date = today.subtract({ days });
    if (!isFor(digest, date) || momentOf(date.toPlainDateTime(time), zone) > nowMs) continue;
    return lastDate === null || Temporal.PlainDate.compare(lastDate, date) < 0 ? date.toString() : null;
  }
  return null;
}

function isFor({ email, weekday }: Digest, date: Temporal.PlainDate): boolean {
  if (email === 'weekdays') return date.dayOfWeek <= 5;
  return email === 'daily' || weekdays[date.dayOfWeek - 1] === (weekday ?? defaultWeekday);
}

function momentOf(wall: Temporal.PlainDateTime, zone: string): number {
  const moment = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (moment.toPlainDateTime().equals(wall)) return moment.epochMilliseconds;
  // The clocks skip it: what they show there is as long before the gap as it would be in it.
  return (moment.getTimeZoneTransition('next') ?? moment).epochMilliseconds;
}

function later(a: Temporal.PlainDate, b: Temporal.PlainDate): Temporal.PlainDate {
  return Temporal.PlainDate.compare(a, b) < 0 ? b : a;
}
