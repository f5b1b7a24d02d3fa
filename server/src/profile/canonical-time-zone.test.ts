import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalTimeZone } from './canonical-time-zone.ts';

test('aliases, old names and any case are one name', () => {
  for (const [name, canonical] of [
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['US/Pacific', 'America/Los_Angeles'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
    ['GMT', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ] as const) {
    assert.equal(canonicalTimeZone(name), canonical, name);
  }
});

test('offsets and unknown names are no zones', () => {
  for (const name of [
    '',
    '+05:30',
    '-08',
    'UTC+1',
    'Z',
    'Mars/Olympus',
    'Europe/Berlin ',
    'Europe/Bérlin',
    'constructor',
  ]) {
    assert.equal(canonicalTimeZone(name), null, name);
  }
});

test('abbreviations are no zones, unless the database has them as names', () => {
  for (const name of ['BST', 'IST', 'CST', 'PST', 'SystemV/EST5']) assert.equal(canonicalTimeZone(name), null, name);
  assert.equal(canonicalTimeZone('EST'), 'America/Panama');
});

test('every zone the runtime knows keeps its meaning and is its own canonical name', () => {
  const instant = Temporal.Instant.fromEpochMilliseconds(0);
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const canonical = canonicalTimeZone(name);
    assert.ok(canonical !== null, name);
    assert.ok(instant.toZonedDateTimeISO(name).equals(instant.toZonedDateTimeISO(canonical)), `${name} ${canonical}`);
    assert.equal(canonicalTimeZone(canonical), canonical);
  }
});
