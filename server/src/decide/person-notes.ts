/**
 * What the rules remember of a person beside the rows: what was sent of each category lately (D9), and the date of the
 * last digest (V23). Plain data with its stored form: a format number, the revision, the date, then three lines for each
 * category: its key, when its summary is due, and what was sent, times as differences from the one before.
 */
import type { Revision } from '../base/ids.ts';
import { line, splitLines } from '../inbox/line-text.ts';
import { type CapState, isSpent, type Sent } from './caps.ts';

export interface PersonNotes {
  /** Rises with each change. */
  readonly revision: Revision;
  /** The local date that the last digest was for, as `2026-03-10`; null: none yet. */
  readonly digestDate: string | null;
  /** By `capKey`. */
  readonly caps: ReadonlyMap<string, CapState>;
}

export const noNotes: PersonNotes = { revision: 0, digestDate: null, caps: new Map() };

const format = '1';
const linesEach = 3;

/** Without what can no longer matter at `nowMs`. */
export function encodeNotes({ revision, digestDate, caps }: PersonNotes, nowMs: number): string {
  let text = `${format}\n${revision.toString(36)}\n${digestDate ?? ''}`;
  for (const [key, state] of caps) {
    if (isSpent(state, nowMs)) continue;
    text += `${line(key)}\n${state.summaryAtMs?.toString(36) ?? ''}${line(sentText(state.sent))}`;
  }
  return text;
}

export function decodeNotes(text: string): PersonNotes {
  const [stored, revision = '', digestDate = '', ...lines] = splitLines(text);
  if (stored !== format) throw new Error(`notes are stored in format ${stored}, this release reads ${format}`);
  const caps = new Map<string, CapState>();
  for (let at = 0; at < lines.length; at += linesEach) {
    const [key, summary, sent] = lines.slice(at, at + linesEach) as [string, string, string];
    caps.set(key, { summaryAtMs: summary === '' ? null : Number.parseInt(summary, 36), sent: sentOf(sent) });
  }
  return { revision: Number.parseInt(revision, 36), digestDate: digestDate === '' ? null : digestDate, caps };
}

function sentText(sent: readonly Sent[]): string {
  let last = 0;
  return sent
    .map(({ atMs, telling }) => {
      const difference = atMs - last;
      last = atMs;
      return `${difference.toString(36)} ${telling}`;
    })
    .join(',');
}

function sentOf(text: string): Sent[] {
  let last = 0;
  return (text === '' ? [] : text.split(',')).map((one) => {
    const [difference = '', telling = ''] = one.split(' ');
    last += Number.parseInt(difference, 36);
    return { atMs: last, telling };
  });
}
