/**
 * Structured logs: one JSON line per event of the list, with fields of an allow-list only (S6, M3). Bodies, tokens, keys,
 * addresses, names and texts have no field to travel in, and an error contributes its class, code and places in our
 * code, never its message, which may quote what somebody sent.
 */
import { type DestinationStream, type Level, pino } from 'pino';
import { CarillonError } from './carillon-error.ts';
import { type LogEvent, logEvents } from './log-events.ts';

/** The allow-list. Add a field only if no value of it can be somebody's words or secret. */
export const logFields = [
  'bytes',
  'caller',
  'closeCode',
  'code',
  'count',
  'file',
  'host',
  'issuer',
  'lane',
  'line',
  'method',
  'mode',
  'offset',
  'operation',
  'part',
  'partition',
  'port',
  'position',
  'reason',
  'requestId',
  'shard',
  'signal',
  'status',
  'thread',
  'tookMs',
  'transport',
  'version',
] as const;

export type LogFields = Partial<Readonly<Record<(typeof logFields)[number], string | number | boolean | null>>>;

export interface Log {
  /** Writes one line at the event's level. Fields off the list are left out, whatever a cast lets through. */
  write(event: LogEvent, fields?: LogFields, error?: unknown): void;
}

const allowed: ReadonlySet<string> = new Set(logFields);
const textCharsMax = 200;
const stackLinesMax = 12;

/** Lines go to `stream`, by default the standard output. `thread` is on every line. */
export function createLog(level: Level, thread: string, stream?: DestinationStream): Log {
  const options = { level, base: { thread }, messageKey: 'message', timestamp: pino.stdTimeFunctions.isoTime };
  const logger = stream === undefined ? pino(options) : pino(options, stream);
  return {
    write(event, fields = {}, error) {
      const [eventLevel, words] = logEvents[event];
      if (!logger.isLevelEnabled(eventLevel)) return;
      logger[eventLevel]({ event, ...permitted(fields), ...(error === undefined ? {} : errorFields(error)) }, words);
    },
  };
}

/** For tests and tools that want no output. */
export const silentLog: Log = { write() {} };

function permitted(fields: LogFields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!allowed.has(name) || typeof value === 'object') continue;
    kept[name] = typeof value === 'string' ? value.slice(0, textCharsMax) : value;
  }
  return kept;
}

function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = error instanceof CarillonError ? error.code : (error as NodeJS.ErrnoException).code;
  const cause = error.cause === undefined ? {} : { cause: errorFields(error.cause) };
  return { error: error.name, ...(typeof code === 'string' ? { code } : {}), stack: places(error), ...cause };
}

/** The stack behind the message, which comes first and may look like anything. A message changed since hides the stack. */
function places(error: Error): string[] {
  const stack = error.stack ?? '';
  const messageAt = stack.indexOf(error.message);
  if (messageAt === -1) return [];
  const lines = stack.slice(messageAt + error.message.length).split('\n');
  return lines
    .filter((line) => /^\s+at /.test(line))
    .slice(0, stackLinesMax)
    .map((line) => line.trim());
}
