import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActedEvent, Event } from '@carillon/contract/event.ts';
import fc from 'fast-check';
import { Value } from 'typebox/value';
import { parseTraceLine, type TraceLine, traceEvent, traceNameOf } from './trace-events.ts';

const place = { trace: 'higgs', lineNumber: 7, shiftMs: 0 };

function eventOf(text: string): ActedEvent {
  const line = parseTraceLine(text);
  assert.ok(line !== null, text);
  return traceEvent(line, place);
}

test('a repost is about the post of the person reposted', () => {
  const event = eventOf('376989 50329 1341101181 RT');
  assert.equal(event.type, 'post.reposted');
  assert.deepEqual(event.object, { kind: 'post', id: 'p-50329', owner: '50329' });
  assert.deepEqual(event.to, { user: '50329' });
  assert.equal(event.actor.id, '376989');
  assert.match(event.actor.name ?? '', /^[A-Z][a-z]+ 989$/);
  assert.equal(event.id, 'higgs-7');
  assert.equal(event.source, 'trace');
  assert.equal(event.time, '2012-07-01T00:06:21.000Z');
});

test('a mention is about the post of the one who mentions, a reply about their comment', () => {
  assert.deepEqual(eventOf('1 2 1341101181 MT').object, { kind: 'post', id: 'm-7', owner: '1' });
  assert.equal(eventOf('1 2 1341101181 MT').type, 'mention.created');
  assert.deepEqual(eventOf('1 2 1341101181 RE').object, { kind: 'comment', id: 'r-7', owner: '1' });
  assert.equal(eventOf('1 2 1341101181 RE').type, 'reply.created');
});

test('three fields are a message from the first to the second', () => {
  const event = eventOf('3 4 1082155839');
  assert.equal(event.type, 'message.sent');
  assert.deepEqual(event.object, { kind: 'message', id: 'msg-7', owner: '3' });
  assert.deepEqual(event.to, { user: '4' });
});

test('headers, blank lines and other text are no lines of a trace', () => {
  for (const text of ['src dst time', '', '   ', '1 2', '1 2 3 XX', '1 2 3 RT 4', '-1 2 3 RT', '1 2 1e9 RT']) {
    assert.equal(parseTraceLine(text), null, JSON.stringify(text));
  }
  assert.notEqual(parseTraceLine('1 2 3 RT\r'), null);
});

test('times are shifted, names are stable', () => {
  const line = parseTraceLine('9 8 1000 RT') as TraceLine;
  const first = traceEvent(line, { ...place, shiftMs: 500 });
  assert.equal(first.time, '1970-01-01T00:16:40.500Z');
  assert.equal(first.actor.name, traceEvent(line, place).actor.name);
});

test('every line makes an event that fits the schema', () => {
  const id = fc.integer({ min: 0, max: 10 ** 9 });
  const kind = fc.constantFrom(' RT', ' MT', ' RE', '');
  fc.assert(
    fc.property(id, id, fc.integer({ min: 0, max: 2 ** 31 }), kind, (from, to, time, suffix) => {
      const event = eventOf(`${from} ${to} ${time}${suffix}`);
      assert.deepEqual(
        [...Value.Errors(Event, event)].filter((error) => error.keyword !== 'format'),
        [],
      );
    }),
  );
});

test('a trace is named after its file', () => {
  assert.equal(traceNameOf('examples/traces/higgs-sample.txt.gz'), 'higgs-sample');
  assert.equal(traceNameOf('college.txt'), 'college');
  assert.equal(traceNameOf('C:\\data\\other'), 'other');
});
