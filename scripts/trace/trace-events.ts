/**
 * From a line of a recorded trace to an event (WIRE.md, "Events"). Pure: the same line at the same place always gives the
 * same event id and the same people and things, so that a replay can be repeated without telling anyone twice (E3).
 *
 * Two kinds of line, told apart by their number of fields: `userA userB unixTime kind` (Higgs: A reposted, mentioned or
 * answered B) and `src dst unixTime` (CollegeMsg: src wrote to dst).
 */
import type { ActedEvent } from '@carillon/contract/event.ts';
import { traceName } from './first-names.ts';

const kinds = ['RT', 'MT', 'RE', 'message'] as const;

export interface TraceLine {
  readonly kind: (typeof kinds)[number];
  readonly from: string;
  readonly to: string;
  /** Milliseconds since 1970, as recorded. */
  readonly timeMs: number;
}

/** Where a line stands and how far its time is moved. */
export interface TracePlace {
  /** Name of the trace; with the line number it makes the event id. */
  readonly trace: string;
  /** From 1, as an editor counts them. */
  readonly lineNumber: number;
  readonly shiftMs: number;
}

const fields = /^(\d{1,15}) (\d{1,15}) (\d{1,10})(?: (RT|MT|RE))?$/;

/** Null for a header or anything else that is no line of a trace. */
export function parseTraceLine(text: string): TraceLine | null {
  const match = fields.exec(text.trim());
  if (match === null) return null;
  const [, from, to, seconds, kind] = match;
  if (from === undefined || to === undefined) return null;
  return { kind: (kind as TraceLine['kind'] | undefined) ?? 'message', from, to, timeMs: Number(seconds) * 1000 };
}

export function traceEvent(line: TraceLine, place: TracePlace): ActedEvent {
  return {
    id: `${place.trace}-${place.lineNumber}`,
    source: 'trace',
    time: new Date(line.timeMs + place.shiftMs).toISOString(),
    actor: { id: line.from, name: traceName(line.from) },
    to: { user: line.to },
    ...subject(line, place.lineNumber),
  };
}

/** `higgs-sample` for `examples/traces/higgs-sample.txt.gz`. */
export function traceNameOf(path: string): string {
  const file = path.slice(path.search(/[^/\\]*$/));
  return file.replace(/(\.txt)?(\.gz)?$/, '');
}

function subject(line: TraceLine, lineNumber: number): Pick<ActedEvent, 'type' | 'object'> {
  switch (line.kind) {
    case 'RT':
      return { type: 'post.reposted', object: { kind: 'post', id: `p-${line.to}`, owner: line.to } };
    case 'MT':
      return { type: 'mention.created', object: { kind: 'post', id: `m-${lineNumber}`, owner: line.from } };
    case 'RE':
      return { type: 'reply.created', object: { kind: 'comment', id: `r-${lineNumber}`, owner: line.from } };
    case 'message':
      return { type: 'message.sent', object: { kind: 'message', id: `msg-${lineNumber}`, owner: line.from } };
  }
}
