import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogFields } from '../../base/log.ts';
import type { LogEvent } from '../../base/log-events.ts';
import { Telemetry } from '../../base/telemetry.ts';
import type { DeadLetter } from './dead-letter.ts';
import { TopicTally } from './topic-tally.ts';

function scene() {
  const lines: [LogEvent, LogFields][] = [];
  const log = { write: (event: LogEvent, fields: LogFields = {}) => void lines.push([event, fields]) };
  return { lines, tally: new TopicTally(log, new Telemetry()) };
}

const letter: DeadLetter = {
  message: { topic: 'events', partition: 3, offset: 7, timestampMs: 0, key: null, value: null, headers: [] },
  refusal: { code: 'CARILLON_EVENT_INVALID', detail: '', path: '', events: null },
};

test('M3: the first letter is logged at once, with its place; what follows is told in one line at a time', () => {
  const { lines, tally } = scene();
  tally.buried([letter]);
  for (let times = 0; times < 100; times++) tally.buried([letter, letter]);
  tally.tick();
  tally.tick();
  tally.buried([letter]);
  const place = { code: 'CARILLON_EVENT_INVALID', partition: 3, offset: 7 };
  assert.deepEqual(lines, [
    ['eventsBuried', { count: 1, ...place }],
    ['eventsBuried', { count: 200 }],
    ['eventsBuried', { count: 1, ...place }],
  ]);
});

test('M3: why it waits is logged once, until something is taken again', () => {
  const { lines, tally } = scene();
  for (let times = 0; times < 3; times++) tally.waited('overloaded');
  tally.settled('taken', 1);
  tally.waited('overloaded');
  assert.equal(lines.length, 2);
});
