/** What a weekly schedule of quiet hours may be (D7): spans that begin and end, and a week that leaves some time. */
import type { QuietHours } from '@carillon/contract/preferences.ts';
import { weekdays } from '@carillon/contract/weekdays.ts';
import type { FieldError } from '../base/carillon-error.ts';

const dayMinutes = 24 * 60;
const weekMinutes = 7 * dayMinutes;

/** Paths are those of the preferences document. */
export function quietHoursProblems({ days }: QuietHours): FieldError[] {
  const problems: FieldError[] = [];
  for (const day of weekdays) {
    for (const [index, { from, to }] of (days[day] ?? []).entries()) {
      // Could mean all day or never: neither is guessed [BC-22].
      if (from === to)
        problems.push({ path: `/quietHours/days/${day}/${index}`, detail: 'Begins and ends at the same time.' });
    }
  }
  if (problems.length === 0 && coversWeek(days))
    problems.push({ path: '/quietHours/days', detail: 'Leaves no time in the week at which anything could come.' });
  return problems;
}

function coversWeek(days: QuietHours['days']): boolean {
  const quiet = new Uint8Array(weekMinutes);
  for (const [index, day] of weekdays.entries()) {
    for (const { from, to } of days[day] ?? []) {
      const begin = index * dayMinutes + minuteOf(from);
      const end = index * dayMinutes + minuteOf(to) + (to <= from ? dayMinutes : 0);
      for (let minute = begin; minute < end; minute++) quiet[minute % weekMinutes] = 1;
    }
  }
  return !quiet.includes(0);
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
