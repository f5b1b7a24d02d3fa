/** Nothing that somebody sent can reach a log line, by whatever way (S6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CarillonError } from './carillon-error.ts';
import { createLog, type LogFields } from './log.ts';
import { logEvents } from './log-events.ts';

type Line = Record<string, unknown>;

function capture(level: 'debug' | 'info' | 'error' = 'debug') {
  const lines: Line[] = [];
  const log = createLog(level, 'main', { write: (text: string) => void lines.push(JSON.parse(text) as Line) });
  return { log, lines, text: () => JSON.stringify(lines) };
}

test('a line is JSON with time, event, words and fields', () => {
  const { log, lines } = capture();
  log.write('listening', { host: '127.0.0.1', port: 8080 });
  const [line] = lines;
  assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.equal(line?.event, 'listening');
  assert.equal(line?.message, 'Listening');
  assert.equal(line?.thread, 'main');
  assert.equal(line?.port, 8080);
});

test('fields off the list and values with structure are left out', () => {
  const { log, text } = capture();
  const smuggled = { token: 'secret-1', body: 'secret-2', reason: { deep: 'secret-3' }, email: 'secret-4' };
  log.write('requestFailed', smuggled as unknown as LogFields);
  assert.doesNotMatch(text(), /secret/);
});

test('long texts are cut', () => {
  const { log, lines } = capture();
  log.write('requestFailed', { reason: 'x'.repeat(5000) });
  assert.equal(String(lines[0]?.reason).length, 200);
});

test('an error gives class, code and places, never its message', () => {
  const { log, lines, text } = capture();
  const cause = new TypeError('secret cause\n    at secret (file.ts:1:1');
  log.write('requestFailed', {}, new CarillonError('CARILLON_EVENT_INVALID', 'secret body', { cause }));
  assert.equal(lines[0]?.error, 'CarillonError');
  assert.equal(lines[0]?.code, 'CARILLON_EVENT_INVALID');
  assert.match(JSON.stringify(lines[0]?.stack), /log\.test\.ts/);
  assert.match(JSON.stringify(lines[0]?.cause), /"error":"TypeError".*log\.test\.ts/);
  cause.message = 'changed';
  log.write('crashed', {}, cause);
  assert.doesNotMatch(text(), /secret/);
});

test('what is thrown and is no error does not show either', () => {
  const { log, text } = capture();
  log.write('crashed', {}, 'secret string');
  log.write('crashed', {}, { secret: 1 });
  assert.doesNotMatch(text(), /secret/);
});

test('levels hold', () => {
  const { log, lines } = capture('error');
  log.write('listening');
  log.write('logDamaged');
  assert.deepEqual(
    lines.map(({ event }) => event),
    ['logDamaged'],
  );
});

test('every event has words', () => {
  for (const [name, [, words]] of Object.entries(logEvents)) assert.ok(words.length > 5, name);
});
