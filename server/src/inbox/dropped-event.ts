/**
 * An event that left no trace in the rows: dropped by a choice, a mute, or because it was told already. Kept for a while for
 * whoever asks why nothing came (D1, D12): so many of each person, in slots that are used again in turn, so that keeping
 * one more neither reads nor deletes anything. Stored as a format number and lines of text.
 */
import type { Reason } from '@carillon/contract/reasons.ts';
import { line, splitLines } from './line-text.ts';

export interface DroppedEvent {
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly timeMs: number;
  readonly decidedAtMs: number;
  readonly reason: Reason;
}

/** As it lies in one slot. */
export interface DroppedSlot {
  readonly slot: number;
  readonly text: string;
  readonly decidedAtMs: number;
}

const format = '1';

export function encodeDropped({ source, id, type, timeMs, decidedAtMs, reason }: DroppedEvent): string {
  const times = `\n${decidedAtMs.toString(36)}\n${(timeMs - decidedAtMs).toString(36)}`;
  return `${format}${line(source)}${line(id)}${line(type)}${times}${line(reason)}`;
}

export function decodeDropped(text: string): DroppedEvent {
  const [stored, source = '', id = '', type = '', decided = '', since = '', reason = ''] = splitLines(text);
  if (stored !== format) throw new Error(`a dropped event is stored in format ${stored}, this release reads ${format}`);
  const decidedAtMs = Number.parseInt(decided, 36);
  const timeMs = decidedAtMs + Number.parseInt(since, 36);
  return { source, id, type, timeMs, decidedAtMs, reason: reason as Reason };
}
