/**
 * What one person was sent of each category lately, as text to be stored with the person: a format number, then three
 * lines for each: its key, how many items wait, and times, each but the first as the difference from the one before.
 */
import { line, splitLines } from '../inbox/line-text.ts';
import { type CapState, isSpent } from './caps.ts';

/** By `capKey`. */
export type PersonCaps = ReadonlyMap<string, CapState>;

export const noCaps: PersonCaps = new Map();

const format = '1';
const linesEach = 3;

/** Empty where nothing is left that could matter after `nowMs`. */
export function encodeCaps(caps: PersonCaps, nowMs: number): string {
  let text = '';
  for (const [key, state] of caps) {
    if (isSpent(state, nowMs)) continue;
    let last = 0;
    const times = state.sentAtMs.map((atMs) => {
      const difference = atMs - last;
      last = atMs;
      return difference.toString(36);
    });
    text += `${line(key)}\n${state.waiting.toString(36)}\n${times.join(',')}`;
  }
  return text === '' ? '' : format + text;
}

export function decodeCaps(text: string): PersonCaps {
  if (text === '') return noCaps;
  const lines = splitLines(text);
  if (lines[0] !== format) throw new Error(`caps are stored in format ${lines[0]}, this release reads ${format}`);
  const caps = new Map<string, CapState>();
  for (let at = 1; at < lines.length; at += linesEach) {
    let last = 0;
    const times = lines[at + 2] as string;
    const sentAtMs = (times === '' ? [] : times.split(',')).map((difference) => {
      last += Number.parseInt(difference, 36);
      return last;
    });
    caps.set(lines[at] as string, { sentAtMs, waiting: Number.parseInt(lines[at + 1] as string, 36) });
  }
  return caps;
}
