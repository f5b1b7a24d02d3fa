/** Reads traces as streams, plain or gzipped (by file name), so that a recording of any size fits in memory. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Event } from '@carillon/contract/event.ts';
import { parseTraceLine, type TraceLine, traceEvent, traceNameOf } from './trace-events.ts';

export interface NumberedLine {
  readonly line: TraceLine;
  readonly lineNumber: number;
}

export interface TraceSummary {
  readonly lines: number;
  /** Milliseconds since 1970, as recorded; both 0 for an empty trace. */
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
}

/** Lines in file order; headers and blank lines are passed over but counted. Throws the file system's or zlib's error. */
export async function* readTraceLines(path: string): AsyncGenerator<NumberedLine> {
  const file = createReadStream(path);
  const text = path.endsWith('.gz') ? gunzipped(file) : file;
  const reader = createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY });
  let failure: Error | undefined;
  text.on('error', (error) => {
    failure = error;
    reader.close();
  });
  try {
    let lineNumber = 0;
    for await (const row of reader) {
      lineNumber += 1;
      const line = parseTraceLine(row);
      if (line !== null) yield { line, lineNumber };
    }
    if (failure !== undefined) throw failure;
  } finally {
    file.destroy();
  }
}

function gunzipped(file: Readable): Readable {
  const gunzip = createGunzip();
  // `pipe` hands on no errors: without this a missing file would end in silence instead of a throw.
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}

/** One pass over the file: how long it is and where its time begins and ends. `linesMax` stops early. */
export async function summarizeTrace(path: string, linesMax = Number.POSITIVE_INFINITY): Promise<TraceSummary> {
  let lines = 0;
  let firstTimeMs = 0;
  let lastTimeMs = 0;
  for await (const { line } of readTraceLines(path)) {
    if (lines >= linesMax) break;
    if (lines === 0) firstTimeMs = line.timeMs;
    lines += 1;
    lastTimeMs = line.timeMs;
  }
  return { lines, firstTimeMs, lastTimeMs };
}

/** The events of a trace, moved in time so that a line recorded at `lastTimeMs` happens at `nowMs`. */
export async function* readTraceEvents(
  path: string,
  times: { readonly lastTimeMs: number; readonly nowMs: number },
): AsyncGenerator<Event> {
  const trace = traceNameOf(path);
  const shiftMs = times.nowMs - times.lastTimeMs;
  for await (const { line, lineNumber } of readTraceLines(path)) yield traceEvent(line, { trace, lineNumber, shiftMs });
}
