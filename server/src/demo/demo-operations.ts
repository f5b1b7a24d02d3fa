/**
 * The demo page's files, for development mode only: the page itself, its modules, and the recorded trace as events.
 *
 * The list of files is fixed when the process starts to serve them, so that no path of a request ever reaches the file system.
 * The page loads nothing from elsewhere and runs nothing inline: its policy says so to the browser (C4).
 */
import { readdir, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { readTraceEvents, summarizeTrace } from '../../../scripts/trace/read-trace.ts';
import { defineOperation, type Operation } from '../api/operation.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';

const folder = new URL('./', import.meta.url);
const samplePath = fileURLToPath(new URL('../../../examples/traces/higgs-sample.txt.gz', import.meta.url));

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** `GET /demo`, `GET /demo/{file}` and `GET /demo/trace.ndjson`. The caller serves them in development mode only. */
export async function demoOperations(clock: Clock): Promise<Operation[]> {
  const names = (await readdir(folder)).filter((name) => fileType(name) !== undefined);
  return [demoPage(), demoFile(new Set(names)), demoTrace(clock)];
}

function demoPage(): Operation {
  return defineOperation({
    method: 'GET',
    path: '/demo',
    summary: 'The demo page (development mode)',
    caller: 'anyone',
    answers: { 200: null },
    errors: [],
    handle: () => fileAnswer('index.html'),
  });
}

function demoFile(names: ReadonlySet<string>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/demo/:file',
    summary: 'A file of the demo page (development mode)',
    caller: 'anyone',
    params: Type.Object({ file: Type.String({ maxLength: 64 }) }),
    answers: { 200: null },
    errors: ['CARILLON_ROUTE_UNKNOWN'],
    async handle({ params }) {
      if (!names.has(params.file)) throw new CarillonError('CARILLON_ROUTE_UNKNOWN', 'The demo has no such file.');
      return fileAnswer(params.file);
    },
  });
}

/** The sample trace as one event per line, moved in time so that its last event is now. */
function demoTrace(clock: Clock): Operation {
  return defineOperation({
    method: 'GET',
    path: '/demo/trace.ndjson',
    summary: 'The sample trace as events, one JSON object a line (development mode)',
    caller: 'anyone',
    answers: { 200: null },
    errors: ['CARILLON_ROUTE_UNKNOWN'],
    async handle() {
      const { lastTimeMs } = await summarizeTrace(samplePath).catch((cause: unknown) => {
        throw new CarillonError('CARILLON_ROUTE_UNKNOWN', 'The sample trace is not there.', { cause });
      });
      const body = Readable.from(lines(lastTimeMs, clock.now()), { objectMode: false });
      return { status: 200, body, headers: { 'content-type': 'application/x-ndjson' } };
    },
  });
}

/** Many lines a piece: a stream's own work per piece outweighs that of a line. */
async function* lines(lastTimeMs: number, nowMs: number): AsyncGenerator<string> {
  let piece = '';
  for await (const event of readTraceEvents(samplePath, { lastTimeMs, nowMs })) {
    piece += `${JSON.stringify(event)}\n`;
    if (piece.length < 64 * 1024) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Read anew each time: whoever changes the page sees it on the next load. */
async function fileAnswer(name: string) {
  const headers = { ...securityHeaders, 'content-type': fileType(name) ?? '' };
  return { status: 200, body: await readFile(new URL(name, folder)), headers };
}

function fileType(name: string): string | undefined {
  return contentTypes[name.slice(name.lastIndexOf('.') + 1)];
}
