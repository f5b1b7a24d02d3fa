/**
 * `npm run replay -- --trace FILE`: sends a recorded trace through the public API, at its own pace or faster.
 *
 * Exit codes: 0 every event was taken (duplicates too) · 1 some were rejected · 2 the arguments or the trace cannot be used ·
 * 3 the server cannot be reached or refused · 130 stopped by Ctrl-C, after what was in flight.
 */
import { scheduler } from 'node:timers/promises';
import type { Event } from '@carillon/contract/event.ts';
import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../server/src/base/clock.ts';
import { systemRandom } from '../server/src/base/random.ts';
import { count, progressLine } from './trace/progress-line.ts';
import { readTraceEvents, summarizeTrace, type TraceSummary } from './trace/read-trace.ts';
import { type Pace, type ReplayPlan, replayTrace } from './trace/replay-trace.ts';
import { noCounts, type SendCounts, SendError, sendBatch } from './trace/send-batch.ts';

interface Options {
  readonly trace: string;
  readonly speed: Pace;
  readonly url: string;
  readonly limit?: number;
  readonly batch: number;
  readonly inflight: number;
  readonly rate?: number;
}

const exit = { ok: 0, rejected: 1, usage: 2, server: 3, stopped: 130 } as const;

function readOptions(args: readonly string[]): Options {
  const command = new Command('replay')
    .description('Sends a recorded trace through the public API of a running Carillon.')
    .requiredOption('--trace <file>', 'lines of a trace, plain or .gz (see examples/traces)')
    .option('--speed <times>', 'times faster than recorded, or max', speed, { kind: 'speed', times: 1 } as Pace)
    .option('--rate <events>', 'events per second, instead of a speed', wholeUpTo(1_000_000))
    .option('--url <url>', 'where Carillon listens', 'http://127.0.0.1:8080')
    .option('--limit <events>', 'send only the first so many', wholeUpTo(Number.MAX_SAFE_INTEGER))
    .option('--batch <events>', 'events in one request', wholeUpTo(1000), 100)
    .option('--inflight <requests>', 'requests at once', wholeUpTo(256), 8)
    .addHelpText(
      'after',
      '\nThe token is CARILLON_TOKEN, else one for the source "trace" from a server in development mode.',
    )
    .exitOverride((error) => process.exit(error.exitCode === 0 ? exit.ok : exit.usage));
  return command.parse(args, { from: 'user' }).opts<Options>();
}

function speed(text: string): Pace {
  if (text === 'max') return { kind: 'max' };
  const times = Number(text);
  if (!(times > 0) || !Number.isFinite(times)) throw new InvalidArgumentError('Give a number above 0, or max.');
  return { kind: 'speed', times };
}

function wholeUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from 1 to ${count(max)}.`);
  };
}

/** A producer token: the one of the environment, else one from the development route, kept until it is refused. */
function tokenSource(url: string): (renew: boolean) => Promise<string> {
  const fixed = process.env.CARILLON_TOKEN;
  if (fixed !== undefined && fixed !== '') return async () => fixed;
  let token: Promise<string> | undefined;
  return (renew) => {
    if (renew) token = undefined;
    token ??= devToken(url).catch((error: unknown) => {
      token = undefined;
      throw error;
    });
    return token;
  };
}

async function devToken(url: string): Promise<string> {
  const response = await fetch(`${url}/v1/dev/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"source":"trace"}',
  }).catch((error: unknown) => {
    throw new SendError(`${url} cannot be reached: is Carillon running? (npm start)`, { cause: error });
  });
  if (!response.ok) {
    throw new SendError(
      `${url} gives no development token (${response.status}): set CARILLON_TOKEN to a producer's key.`,
    );
  }
  return ((await response.json()) as { token: string }).token;
}

async function* take(events: AsyncIterable<Event>, limit: number): AsyncGenerator<Event> {
  let taken = 0;
  for await (const event of events) {
    yield event;
    taken += 1;
    if (taken >= limit) return;
  }
}

async function replay(options: Options, trace: TraceSummary): Promise<number> {
  const url = options.url.replace(/\/+$/, '');
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  // An interrupted pause ends early; the loop then sees that it is stopped.
  const wait = (delayMs: number): Promise<void> =>
    scheduler.wait(delayMs, { signal: interrupt.signal }).then(
      () => {},
      () => {},
    );
  const ports = { url, fetch, token: tokenSource(url), wait, random: systemRandom };
  await ports.token(false);

  const pace: Pace = options.rate === undefined ? options.speed : { kind: 'rate', perSecond: options.rate };
  const plan: ReplayPlan = { pace, batchEventsMax: options.batch, inFlightMax: options.inflight };
  const events = readTraceEvents(options.trace, { lastTimeMs: trace.lastTimeMs, nowMs: systemClock.now() });
  const line = progressLine(trace.lines, process.stderr, () => systemClock.monotonic());
  const startMs = systemClock.monotonic();
  let counts = noCounts;
  try {
    await replayTrace(take(events, trace.lines), plan, {
      monotonicMs: () => systemClock.monotonic(),
      wait,
      send: (batch) => sendBatch(batch, ports),
      progress(total) {
        counts = total;
        line.update(answered(total));
      },
      stopped: () => interrupt.signal.aborted,
    });
  } finally {
    line.end(answered(counts));
  }
  console.log(summary(counts, systemClock.monotonic() - startMs));
  if (interrupt.signal.aborted) return exit.stopped;
  return counts.rejected > 0 ? exit.rejected : exit.ok;
}

function answered(counts: SendCounts): number {
  return counts.accepted + counts.duplicate + counts.rejected;
}

function summary(counts: SendCounts, tookMs: number): string {
  const perSecond = Math.round(answered(counts) / Math.max(0.001, tookMs / 1000));
  const figures = [
    `${count(counts.accepted)} accepted`,
    `${count(counts.duplicate)} duplicate`,
    `${count(counts.rejected)} rejected`,
    `${(tookMs / 1000).toFixed(1)} s`,
    `${count(perSecond)} events/s`,
  ];
  if (counts.retries > 0) figures.push(`${count(counts.retries)} requests repeated`);
  const rejection = counts.firstRejection === null ? '' : `\nFirst rejection: ${counts.firstRejection}`;
  return figures.join(' · ') + rejection;
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  let trace: TraceSummary;
  try {
    trace = await summarizeTrace(options.trace, options.limit);
  } catch (error) {
    console.error(`replay: ${options.trace} cannot be read: ${(error as Error).message}`);
    return exit.usage;
  }
  if (trace.lines === 0) {
    console.error(`replay: ${options.trace} has no line of a trace`);
    return exit.usage;
  }
  try {
    return await replay(options, trace);
  } catch (error) {
    if (!(error instanceof SendError)) throw error;
    console.error(`replay: ${error.message}`);
    return exit.server;
  }
}

process.exitCode = await main();
