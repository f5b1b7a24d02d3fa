import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyDay, everyDaySpan, heldBack, heldBackWords, timeWords } from './held-back.js';

const zone = 'Europe/Berlin';
const at = (iso) => Date.parse(iso);
const iso = (ms) => (ms === null ? null : new Date(ms).toISOString());
const night = { quietHours: everyDay('22:00', '08:00') };

test('given nothing chosen, then nothing is held', () => {
  assert.deepEqual(heldBack({}, zone, at('2026-03-10T12:00:00Z')), {
    untilMs: null,
    quietFromMs: null,
    quietUntilMs: null,
  });
  assert.match(heldBackWords({}, zone, 0), /^Nothing is held back: /);
});

test('given a night of quiet, then what comes in it waits for its end, on either side of midnight', () => {
  for (const now of ['2026-03-10T21:00:30Z', '2026-03-11T06:59:59Z']) {
    assert.equal(iso(heldBack(night, zone, at(now)).untilMs), '2026-03-11T07:00:00.000Z', now);
  }
  assert.equal(heldBack(night, zone, at('2026-03-11T07:00:00Z')).untilMs, null);
  const { quietFromMs, quietUntilMs } = heldBack(night, zone, at('2026-03-11T07:00:00Z'));
  assert.deepEqual([iso(quietFromMs), iso(quietUntilMs)], ['2026-03-11T21:00:00.000Z', '2026-03-12T07:00:00.000Z']);
});

test('given a pause that ends in the night, then what waits leaves in the morning', () => {
  const choices = { ...night, pausedUntil: '2026-03-10T23:00:00Z' };
  assert.equal(iso(heldBack(choices, zone, at('2026-03-10T12:00:00Z')).untilMs), '2026-03-11T07:00:00.000Z');
  const pausedOnly = { pausedUntil: '2026-03-10T13:00:10Z' };
  assert.equal(iso(heldBack(pausedOnly, zone, at('2026-03-10T12:00:00Z')).untilMs), '2026-03-10T13:00:10.000Z');
});

test('given clocks that change in the night, then the morning is that of the new clock', () => {
  assert.equal(iso(heldBack(night, zone, at('2026-03-28T22:00:00Z')).untilMs), '2026-03-29T06:00:00.000Z');
  assert.equal(iso(heldBack(night, zone, at('2026-10-24T22:00:00Z')).untilMs), '2026-10-25T07:00:00.000Z');
});

test('given a span of one weekday, switched off or on, then it counts on that day alone', () => {
  const days = { fri: [{ from: '20:00', to: '02:00' }] };
  const on = { quietHours: { enabled: true, days } };
  assert.equal(iso(heldBack(on, 'UTC', at('2026-03-14T01:59:00Z')).untilMs), '2026-03-14T02:00:00.000Z');
  assert.equal(iso(heldBack(on, 'UTC', at('2026-03-14T02:00:00Z')).quietFromMs), '2026-03-20T20:00:00.000Z');
  assert.equal(heldBack({ quietHours: { enabled: false, days } }, 'UTC', at('2026-03-14T01:00:00Z')).untilMs, null);
  assert.equal(everyDaySpan(on.quietHours), null);
  assert.deepEqual(everyDaySpan(night.quietHours), { from: '22:00', to: '08:00' });
});

test('times are told as people say them', () => {
  const now = at('2026-03-10T12:00:00Z');
  assert.equal(timeWords(at('2026-03-10T22:59:00Z'), zone, now), 'today at 23:59');
  assert.equal(timeWords(at('2026-03-10T23:00:00Z'), zone, now), 'tomorrow at 00:00');
  assert.equal(timeWords(at('2026-03-13T07:00:00Z'), zone, now), 'on Friday at 08:00');
  assert.equal(timeWords(at('2026-04-13T06:00:00Z'), zone, now), 'on 13 April at 08:00');
});
