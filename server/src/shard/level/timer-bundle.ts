/**
 * Timers that were set together and are due at about the same time, stored as one value: a row for each would cost more
 * than all else that a timer does. Lines of text: a format number, then six fields for each timer. Times and revisions are
 * differences from the first timer's.
 */
import type { PersonKey } from '../../base/ids.ts';
import { line, splitLines } from '../../inbox/line-text.ts';
import { compareTimers } from '../timer-order.ts';
import { type Timer, type TimerKind, timerKinds } from '../timer-store.ts';

/** No timer of a bundle is due later than this after its first. */
export const bundleSpanMs = 5000;
const bundleTimersMax = 512;

const format = '1';
const fieldsEach = 6;

/** In order within each bundle, and of the bundles. */
export function bundlesOf(timers: Iterable<Timer>): Timer[][] {
  const bundles: Timer[][] = [];
  let bundle: Timer[] = [];
  for (const timer of [...timers].sort(compareTimers)) {
    const first = bundle[0];
    const fits = bundle.length < bundleTimersMax && first !== undefined && timer.dueMs <= first.dueMs + bundleSpanMs;
    if (!fits) {
      bundle = [];
      bundles.push(bundle);
    }
    bundle.push(timer);
  }
  return bundles;
}

export function encodeBundle(timers: readonly Timer[]): string {
  const { dueMs, revision } = timers[0] as Timer;
  let text = `${format}\n${dueMs.toString(36)}\n${revision.toString(36)}`;
  for (const timer of timers) {
    text += `\n${(timer.dueMs - dueMs).toString(36)}\n${(timer.revision - revision).toString(36)}`;
    text += `\n${timerKinds.indexOf(timer.kind)}${line(timer.id)}${line(timer.person)}${line(timer.data)}`;
  }
  return text;
}

export function decodeBundle(text: string): Timer[] {
  const lines = splitLines(text);
  if (lines[0] !== format) throw new Error(`timers are stored in format ${lines[0]}, this release reads ${format}`);
  const [firstDueMs, firstRevision] = [number36(lines[1]), number36(lines[2])];
  const timers: Timer[] = [];
  for (let at = 3; at < lines.length; at += fieldsEach) {
    timers.push({
      dueMs: firstDueMs + number36(lines[at]),
      revision: firstRevision + number36(lines[at + 1]),
      kind: timerKinds[Number(lines[at + 2])] as TimerKind,
      id: lines[at + 3] as string,
      person: lines[at + 4] as PersonKey,
      data: lines[at + 5] as string,
    });
  }
  return timers;
}

/** Which timers of a bundle are done, by their places in it. */
export function encodePlaces(places: readonly number[]): string {
  return places.map((place) => place.toString(36)).join(',');
}

export function decodePlaces(text: string | undefined): ReadonlySet<number> {
  return new Set(text === undefined || text === '' ? [] : text.split(',').map(number36));
}

function number36(text: string | undefined): number {
  return Number.parseInt(text ?? '', 36);
}
